package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ByteView;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

class CursorsTest {
  /** Entries from memory; counts its closings. */
  static final class ListCursor implements EntryCursor {
    private final List<Entry> entries;
    private final ByteView key = new ByteView();
    private final ByteView value = new ByteView();
    private int at = -1;
    int closings;

    ListCursor(List<Entry> entries) {
      this.entries = entries;
    }

    @Override
    public boolean next() {
      if (closings > 0) {
        throw new AssertionError("next() after close()");
      }
      at++;
      if (at >= entries.size()) {
        return false;
      }
      // The same arrays again, as a file cursor would.
      byte[] keyBytes = Entry.bytes(entries.get(at).key());
      byte[] valueBytes = Entry.bytes(entries.get(at).value());
      key.set(keyBytes, 0, keyBytes.length);
      value.set(valueBytes, 0, valueBytes.length);
      return true;
    }

    @Override
    public ByteView key() {
      return key;
    }

    @Override
    public ByteView value() {
      return value;
    }

    @Override
    public long sequence() {
      return entries.get(at).sequence();
    }

    @Override
    public EntryType type() {
      return entries.get(at).type();
    }

    @Override
    public void close() {
      closings++;
    }
  }

  @Test
  void mergeIsASort() {
    Random random = new Random(Entry.seed());
    for (int count = 0; count < 40; count++) {
      List<Entry> all =
          Entry.randomEntries(random, 300, EntryType.PUT, EntryType.DELETE, EntryType.MERGE);
      List<List<Entry>> parts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        parts.add(new ArrayList<>());
      }
      List<Entry> expected = new ArrayList<>();
      for (Entry entry : all) {
        if (count > 0) {
          parts.get(random.nextInt(random.nextInt(count) + 1)).add(entry);
          expected.add(entry);
        }
      }
      List<ListCursor> cursors = parts.stream().map(ListCursor::new).toList();

      assertThat(Entry.readAll(Cursors.merge(cursors)))
          .as("seed %s, %s cursors", Entry.seed(), count)
          .isEqualTo(expected);
      assertThat(cursors).allMatch(cursor -> cursor.closings == 1);
    }
  }

  @Test
  void mergeOfEqualEntriesShowsTheEarlierCursorFirst() {
    ListCursor newer = new ListCursor(List.of(Entry.put("a", 0, "new"), Entry.put("b", 0, "new")));
    ListCursor older =
        new ListCursor(
            List.of(Entry.put("a", 0, "old"), Entry.put("b", 1, "x"), Entry.put("c", 0, "old")));

    assertThat(Entry.readAll(Cursors.merge(List.of(newer, older))))
        .containsExactly(
            Entry.put("a", 0, "new"),
            Entry.put("a", 0, "old"),
            Entry.put("b", 1, "x"),
            Entry.put("b", 0, "new"),
            Entry.put("c", 0, "old"));
  }

  @Test
  void mergeOfKeysWithCommonPrefixes() {
    List<Entry> entries = new ArrayList<>();
    for (String key :
        List.of(
            "",
            "\0",
            "\0\0\0\0\0\0\0\0",
            "\0\0\0\0\0\0\0\0\0",
            "longer than eight",
            "longer than eight!",
            "longer than nine",
            "\u007f",
            "\u0080",
            "\u00ff\u00ff")) {
      entries.add(Entry.put(key, 3, "v"));
    }
    entries.sort(Entry.ORDER);
    List<ListCursor> single =
        entries.stream()
            .sorted(Comparator.comparing(Entry::key).reversed())
            .map(entry -> new ListCursor(List.of(entry)))
            .toList();

    assertThat(Entry.readAll(Cursors.merge(single))).isEqualTo(entries);
  }

  @Test
  void emptyHasNothing() {
    try (EntryCursor empty = Cursors.empty()) {
      assertThat(empty.next()).isFalse();
      assertThat(empty.next()).isFalse();
    }
  }

  @Test
  void mergeClosesAllWhenGivenUp() {
    ListCursor left = new ListCursor(List.of(Entry.put("a", 0, "")));
    ListCursor right = new ListCursor(List.of(Entry.put("b", 0, "")));
    EntryCursor merged = Cursors.merge(List.of(left, right));
    assertThat(merged.next()).isTrue();
    merged.close();
    merged.close();
    assertThat(left.closings).isEqualTo(1);
    assertThat(right.closings).isEqualTo(1);
    assertKind(Kind.CLOSED, merged::next);
  }

  /** Reads fail once, at the chosen call, as on a bad day of the disk. */
  private static SstSource failing(byte[] file, int failingRead) {
    return new SstSource() {
      private int reads;

      @Override
      public String name() {
        return "failing";
      }

      @Override
      public long size() {
        return file.length;
      }

      @Override
      public void read(long position, byte[] target, int offset, int length) {
        if (++reads == failingRead) {
          throw StateStoreException.unavailable("the disk is gone for a moment", null);
        }
        System.arraycopy(file, (int) position, target, offset, length);
      }

      @Override
      public void close() {}
    };
  }

  /** An error must not turn into missing rows for one who calls next() again. */
  @Test
  void whatFailedGoesOnFailing() {
    List<Entry> rows = Entry.randomRows(new Random(3), 3000);
    byte[] file =
        Entry.write(
            new SstWriterOptions(
                "default", Compression.NONE, 4096, 16, 5, SstWriterOptions.Checksum.XXH3, false),
            rows);
    boolean failedAfterSome = false;
    for (int read = 3; read < 8; read++) {
      try (SstReader reader = SstReader.open(failing(file, read))) {
        EntryCursor cursor = reader.cursor();
        int seen = countUntilFailure(cursor::next);
        failedAfterSome |= seen > 0;
        assertKind(Kind.UNAVAILABLE, cursor::next);
      } catch (StateStoreException e) {
        assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
      }
    }
    assertThat(failedAfterSome).isTrue();
    for (int read = 6; read < 8; read++) {
      try (SstReader reader = SstReader.open(failing(file, read))) {
        EntryCursor merged =
            Cursors.merge(List.of(new ListCursor(rows.subList(0, 5)), reader.cursor()));
        StateIterator iterator = Cursors.rows(merged);
        int seen = countUntilFailure(iterator::next);
        assertThat(seen).isLessThan(rows.size());
        assertKind(Kind.INVALID, merged::next);
        assertKind(Kind.INVALID, iterator::next);
        assertKind(Kind.INVALID, iterator::key);
      }
    }
  }

  private static int countUntilFailure(BooleanSupplier next) {
    int seen = 0;
    try {
      while (next.getAsBoolean()) {
        seen++;
      }
    } catch (StateStoreException e) {
      assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
      return seen;
    }
    throw new AssertionError("no failure after " + seen);
  }

  @Test
  void rowsAreTheNewestPuts() {
    Random random = new Random(Entry.seed());
    for (int round = 0; round < 20; round++) {
      List<Entry> entries =
          Entry.randomEntries(
              random, 200, EntryType.PUT, EntryType.PUT, EntryType.DELETE, EntryType.SINGLE_DELETE);
      ListCursor cursor = new ListCursor(entries);
      assertThat(Entry.readRows(Cursors.rows(cursor)))
          .as("seed %s, round %s", Entry.seed(), round)
          .isEqualTo(Entry.rowsOf(entries));
      assertThat(cursor.closings).isEqualTo(1);
    }
  }

  @Test
  void rowsRefuseAMergeOperandOnTop() {
    List<Entry> entries =
        List.of(Entry.put("a", 9, "v"), new Entry("b", 4, EntryType.MERGE, "operand"));
    StateIterator rows = Cursors.rows(new ListCursor(entries));
    assertThat(rows.next()).isTrue();
    assertKind(Kind.INCOMPATIBLE, rows::next);
    assertKind(Kind.INVALID, rows::next);
  }

  @Test
  void rowsPassOverAMergeOperandBelow() {
    List<Entry> entries =
        List.of(Entry.put("a", 9, "v"), new Entry("a", 4, EntryType.MERGE, "operand"));
    assertThat(Entry.readRows(Cursors.rows(new ListCursor(entries))))
        .containsExactly(Entry.put("a", 0, "v"));
  }

  @Test
  void rowsKeepTheRulesOfIterators() {
    StateIterator rows = Cursors.rows(new ListCursor(List.of(Entry.put("a", 0, "v"))));
    assertKind(Kind.INVALID, rows::key);
    assertThat(rows.next()).isTrue();
    assertThat(Entry.text(rows.key())).isEqualTo("a");
    assertThat(Entry.text(rows.value())).isEqualTo("v");
    assertThat(rows.next()).isFalse();
    assertThat(rows.next()).isFalse();
    assertKind(Kind.INVALID, rows::value);
    rows.close();
    rows.close();
    assertKind(Kind.CLOSED, rows::next);
  }

  private static void assertKind(Kind kind, ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
