package io.reshard.tck;

import static io.reshard.tck.Fixture.COLUMN_FAMILIES;
import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardStore;
import io.reshard.spi.StateIterator;
import io.reshard.spi.WriteBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Random operations, side by side with sorted maps. */
interface ModelSuite extends Suite {
  @Test
  default void required_S201_random_operations_agree_with_sorted_maps() {
    fixture().seeded(() -> new Walk(fixture(), fixture().random(70)).run(2500, false));
  }

  @Test
  default void required_S201_random_operations_on_few_keys_agree_with_sorted_maps() {
    fixture().seeded(() -> new Walk(fixture(), fixture().random(71)).run(1500, true));
  }

  /** A random walk over everything a store can do. */
  final class Walk {
    private final Fixture fixture;
    private final RandomGenerator random;
    private final SnapshotShelf shelf;
    private final Path directory;
    private final boolean deletesRanges;
    private final boolean reverses;
    private final boolean persists;
    private final List<StateIterator> scans = new ArrayList<>();
    private final List<NavigableMap<ByteView, ByteView>> scanned = new ArrayList<>();
    private final List<SnapshotShelf.Snapshot> snapshots = new ArrayList<>();
    private final List<Map<String, NavigableMap<ByteView, ByteView>>> contents = new ArrayList<>();
    private Map<String, NavigableMap<ByteView, ByteView>> working =
        Map.of(ONE, Rows.none(), TWO, Rows.none());
    private Map<String, NavigableMap<ByteView, ByteView>> committed = copy(working);
    private ShardStore store;
    private long version;
    private int maxKey = 5;

    Walk(Fixture fixture, RandomGenerator random) {
      this.fixture = fixture;
      this.random = random;
      this.shelf = new SnapshotShelf(fixture.newDirectory());
      this.directory = fixture.newDirectory();
      this.deletesRanges = fixture.declares(Capability.DELETE_RANGE);
      this.reverses = fixture.declares(Capability.REVERSE_SCAN);
      this.persists = fixture.declares(Capability.PERSISTENT);
      this.store = fixture.open(directory);
    }

    private static Map<String, NavigableMap<ByteView, ByteView>> copy(
        Map<String, NavigableMap<ByteView, ByteView>> content) {
      Map<String, NavigableMap<ByteView, ByteView>> copy = new HashMap<>();
      content.forEach((name, rows) -> copy.put(name, new TreeMap<>(rows)));
      return copy;
    }

    private String columnFamily() {
      return random.nextInt(3) == 0 ? TWO : ONE;
    }

    private byte[] key() {
      return Rows.randomKey(random, maxKey);
    }

    private NavigableMap<ByteView, ByteView> rows(String columnFamily) {
      return Objects.requireNonNull(working.get(columnFamily));
    }

    void run(int steps, boolean fewKeys) {
      maxKey = fewKeys ? 2 : 5;
      for (int step = 0; step < steps; step++) {
        String what = "";
        try {
          what = step();
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("step " + step + " " + what + ": " + e.getMessage(), e);
        }
      }
      compareAll();
      while (!scans.isEmpty()) {
        endScan(0);
      }
    }

    private String step() {
      int dice = random.nextInt(100);
      if (dice < 35) {
        write();
        return "write";
      } else if (dice < 55) {
        read();
        return "read";
      } else if (dice < 70) {
        scan();
        return "scan";
      } else if (dice < 78) {
        beginScan();
        return "begin of a scan";
      } else if (dice < 84) {
        if (!scans.isEmpty()) {
          endScan(random.nextInt(scans.size()));
        }
        return "end of a scan";
      } else if (dice < 91) {
        version += 1 + random.nextInt(3);
        store.commit(version);
        committed = copy(working);
        assertThat(store.version()).isEqualTo(version);
        return "commit";
      } else if (dice < 95) {
        store.rollback();
        working = copy(committed);
        return "rollback";
      } else if (dice < 97) {
        snapshot();
        return "export or import";
      } else if (dice < 98 && persists) {
        reopen();
        return "reopen";
      }
      compareAll();
      return "comparison";
    }

    private void write() {
      WriteBatch batch = new WriteBatch();
      int operations = random.nextInt(4) == 0 ? random.nextInt(40) : 1;
      for (int i = 0; i < operations; i++) {
        String columnFamily = columnFamily();
        byte[] key = key();
        int dice = random.nextInt(20);
        if (dice < 6) {
          batch.delete(columnFamily, key);
          rows(columnFamily).remove(new ByteView(key));
        } else if (dice < 7 && deletesRanges) {
          byte[] to = key();
          batch.deleteRange(columnFamily, key, to);
          Rows.between(rows(columnFamily), key, to).keySet().forEach(rows(columnFamily)::remove);
        } else {
          byte[] value = Rows.random(random, random.nextInt(30));
          batch.put(columnFamily, key, value);
          Rows.put(rows(columnFamily), key, value);
        }
      }
      store.write(batch);
    }

    private void read() {
      String columnFamily = columnFamily();
      byte[][] keys = new byte[1 + random.nextInt(8)][];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = key();
      }
      byte[][] values = store.multiGet(columnFamily, keys);
      for (int i = 0; i < keys.length; i++) {
        ByteView value = rows(columnFamily).get(new ByteView(keys[i]));
        byte[] expected = value == null ? null : value.toByteArray();
        assertThat(values[i]).as("multiGet of %s", new ByteView(keys[i])).isEqualTo(expected);
        assertThat(store.get(columnFamily, keys[i]))
            .as("get of %s", new ByteView(keys[i]))
            .isEqualTo(expected);
      }
    }

    /** A random range, and what it shows now. */
    private NavigableMap<ByteView, ByteView> range(String columnFamily, ScanRange[] chosen) {
      byte[] from = random.nextInt(4) == 0 ? null : key();
      byte[] to = random.nextInt(4) == 0 ? null : key();
      boolean reverse = reverses && random.nextInt(3) == 0;
      ScanRange range = ScanRange.between(from, to);
      chosen[0] = reverse ? range.reversed() : range;
      NavigableMap<ByteView, ByteView> part = Rows.between(rows(columnFamily), from, to);
      return reverse ? part.descendingMap() : part;
    }

    private void scan() {
      String columnFamily = columnFamily();
      ScanRange[] range = new ScanRange[1];
      NavigableMap<ByteView, ByteView> expected = range(columnFamily, range);
      Rows.assertRows(store.scan(columnFamily, range[0]), expected, "scan of " + columnFamily);
    }

    private void beginScan() {
      if (scans.size() < 10) {
        String columnFamily = columnFamily();
        ScanRange[] range = new ScanRange[1];
        scanned.add(range(columnFamily, range));
        scans.add(store.scan(columnFamily, range[0]));
      }
    }

    private void endScan(int index) {
      Rows.assertRows(scans.remove(index), scanned.remove(index), "scan of an earlier moment");
    }

    private void snapshot() {
      if (snapshots.isEmpty() || random.nextInt(3) > 0) {
        SnapshotShelf.Snapshot snapshot = shelf.export(store);
        assertThat(snapshot.version()).isEqualTo(version);
        committed.forEach(
            (columnFamily, rows) ->
                assertThat(Rows.list(snapshot.of(columnFamily)))
                    .as("'%s' in the snapshot", columnFamily)
                    .isEqualTo(Rows.list(rows)));
        snapshots.add(snapshot);
        contents.add(copy(committed));
      } else {
        int chosen = random.nextInt(snapshots.size());
        store.importSnapshot(shelf.reader(snapshots.get(chosen)));
        version = snapshots.get(chosen).version();
        working = copy(contents.get(chosen));
        committed = copy(working);
        assertThat(store.version()).isEqualTo(version);
      }
    }

    private void reopen() {
      scans.forEach(StateIterator::close);
      scans.clear();
      scanned.clear();
      store.close();
      store = fixture.open(directory);
      working = copy(committed);
      assertThat(store.version()).isEqualTo(version);
    }

    private void compareAll() {
      working.forEach((columnFamily, rows) -> Rows.assertRows(store, columnFamily, rows));
      assertThat(SnapshotShelf.content(store, COLUMN_FAMILIES)).isEqualTo(working);
    }
  }
}
