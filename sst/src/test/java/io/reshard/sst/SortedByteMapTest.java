package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class SortedByteMapTest {
  /** A node: an object of 32 bytes, and arrays of 32 keys, values and heads. */
  private static final long NODE = 32 + 2 * (16 + 32 * 4) + 16 + 32 * 8;

  private static final long SEED = Long.getLong("reshard.seed", 20_261_130L);

  private record Kept(SortedByteMap.Frozen frozen, NavigableMap<byte[], byte[]> model) {}

  @RepeatedTest(12)
  void behavesLikeATreeMapThroughFreezesAndRestores(RepetitionInfo info) {
    long seed = SEED + info.getCurrentRepetition();
    try {
      // From trees of one leaf to trees three levels deep.
      checkAgainstModel(new Random(seed), 10 << info.getCurrentRepetition());
    } catch (Throwable e) {
      throw new AssertionError("failed with -Dreshard.seed=" + (seed - 1), e);
    }
  }

  private static void checkAgainstModel(Random random, int keySpace) {
    SortedByteMap map = new SortedByteMap();
    NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    List<Kept> kept = new ArrayList<>();
    int steps = 20_000;
    boolean growing = true;
    for (int step = 0; step < steps; step++) {
      if (step % 4000 == 3999) {
        growing = !growing;
      }
      int what = random.nextInt(1000);
      byte[] key = key(random, keySpace);
      if (what < 3) {
        kept.add(new Kept(map.freeze(), copy(model)));
        if (kept.size() > 6) {
          kept.remove(random.nextInt(kept.size()));
        }
      } else if (what < 5 && !kept.isEmpty()) {
        Kept back = kept.get(random.nextInt(kept.size()));
        map.restore(back.frozen);
        model = copy(back.model);
      } else if (what < 7) {
        checkScan(map.freeze(), model, random, keySpace);
      } else if (what == 7) {
        byte[] to = key(random, keySpace);
        NavigableMap<byte[], byte[]> range =
            Arrays.compareUnsigned(key, to) < 0
                ? model.subMap(key, true, to, false)
                : new TreeMap<>(Arrays::compareUnsigned);
        if (range.size() < 200) {
          assertThat(map.removeRange(key, to)).isEqualTo(range.size());
          range.clear();
        }
      } else if (what == 8 && random.nextInt(10) == 0) {
        map.clear();
        model.clear();
      } else if (random.nextInt(10) < (growing ? 7 : 2)) {
        byte[] value = new byte[random.nextInt(20)];
        random.nextBytes(value);
        assertThat(map.put(key, value)).isSameAs(model.put(key, value));
      } else {
        assertThat(map.remove(key.clone())).isSameAs(model.remove(key));
      }
      assertThat(map.size()).isEqualTo(model.size());
      byte[] probe = key(random, keySpace);
      assertThat(map.get(probe)).isSameAs(model.get(probe));
    }
    checkWhole(map.freeze(), model);
    for (Kept each : kept) {
      checkWhole(each.frozen, each.model);
      checkScan(each.frozen, each.model, random, keySpace);
    }
    checkBytes(map, model);
    checkShrinks(map, model, random);
  }

  /** What is left of a tree after every removal but one is a single leaf. */
  private static void checkShrinks(
      SortedByteMap map, NavigableMap<byte[], byte[]> model, Random random) {
    List<byte[]> keys = new ArrayList<>(model.keySet());
    java.util.Collections.shuffle(keys, random);
    for (int i = 0; i + 1 < keys.size(); i++) {
      assertThat(map.remove(keys.get(i))).isSameAs(model.remove(keys.get(i)));
    }
    assertThat(map.bytes()).isEqualTo(arrays(model) + (model.isEmpty() ? 0 : NODE));
    if (!model.isEmpty()) {
      map.remove(model.firstKey());
    }
    assertThat(map.bytes()).isZero();
    assertThat(map.size()).isZero();
  }

  private static void checkBytes(SortedByteMap map, NavigableMap<byte[], byte[]> model) {
    long nodeBytes = map.bytes() - arrays(model);
    assertThat(nodeBytes % NODE).isZero();
    assertThat(nodeBytes / NODE).isBetween((model.size() + 31) / 32L, model.size() / 2L + 2);
    assertThat(map.freeze().bytes()).isEqualTo(map.bytes());
  }

  private static long arrays(Map<byte[], byte[]> model) {
    return model.entrySet().stream()
        .mapToLong(e -> array(e.getKey().length) + array(e.getValue().length))
        .sum();
  }

  private static long array(int length) {
    return (16L + length + 7) / 8 * 8;
  }

  private static void checkWhole(SortedByteMap.Frozen frozen, NavigableMap<byte[], byte[]> model) {
    assertThat(frozen.size()).isEqualTo(model.size());
    checkRows(frozen, ScanRange.all(), model);
    checkRows(frozen, ScanRange.all().reversed(), model.descendingMap());
    for (Map.Entry<byte[], byte[]> row : model.entrySet()) {
      assertThat(frozen.get(row.getKey())).isSameAs(row.getValue());
    }
  }

  private static void checkScan(
      SortedByteMap.Frozen frozen,
      NavigableMap<byte[], byte[]> model,
      Random random,
      int keySpace) {
    byte[] from = random.nextInt(4) == 0 ? null : bound(model, random, keySpace);
    byte[] to = random.nextInt(4) == 0 ? null : bound(model, random, keySpace);
    NavigableMap<byte[], byte[]> expected = model;
    if (from != null && to != null && Arrays.compareUnsigned(from, to) >= 0) {
      expected = new TreeMap<>(Arrays::compareUnsigned);
    } else {
      expected = from == null ? expected : expected.tailMap(from, true);
      expected = to == null ? expected : expected.headMap(to, false);
    }
    checkRows(frozen, ScanRange.between(from, to), expected);
    checkRows(frozen, ScanRange.between(from, to).reversed(), expected.descendingMap());
  }

  /** Often a key that is there, for bounds that fall on the edges of nodes. */
  private static byte @Nullable [] bound(
      NavigableMap<byte[], byte[]> model, Random random, int keySpace) {
    byte[] any = key(random, keySpace);
    byte[] there = model.ceilingKey(any);
    return random.nextBoolean() && there != null ? there : any;
  }

  private static void checkRows(
      SortedByteMap.Frozen frozen, ScanRange range, NavigableMap<byte[], byte[]> expected) {
    try (StateIterator rows = frozen.scan(range)) {
      for (Map.Entry<byte[], byte[]> row : expected.entrySet()) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.key().array()).isSameAs(row.getKey());
        assertThat(rows.value().array()).isSameAs(row.getValue());
      }
      assertThat(rows.next()).isFalse();
      assertThat(rows.next()).isFalse();
    }
  }

  private static NavigableMap<byte[], byte[]> copy(NavigableMap<byte[], byte[]> model) {
    NavigableMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
    copy.putAll(model);
    return copy;
  }

  /** Keys of several lengths, prefixes of each other among them, and bytes above 0x7f. */
  private static byte[] key(Random random, int keySpace) {
    int n = random.nextInt(keySpace);
    int length = n % 5 == 4 ? 4 + n % 7 : n % 5;
    byte[] key = new byte[length];
    for (int i = length - 1; i >= 0; i--) {
      key[i] = (byte) (n * 31);
      n >>>= 3;
    }
    return key;
  }

  @Test
  void ascendingRowsFillLeavesWholly() {
    SortedByteMap map = new SortedByteMap();
    int rows = 32 * 1000;
    for (int i = 0; i < rows; i++) {
      map.put(number(i), new byte[0]);
    }
    long nodes = (map.bytes() - rows * (array(4) + array(0))) / NODE;
    assertThat(nodes).isBetween(1000L, 1000L + 1000 / 30 + 5);
  }

  @Test
  void freezeOfAnUnchangedMapIsTheSameContent() {
    SortedByteMap map = new SortedByteMap();
    map.put(number(1), number(1));
    SortedByteMap.Frozen first = map.freeze();
    assertThat(map.freeze()).isSameAs(first);
    assertThat(map.remove(number(2))).isNull();
    assertThat(map.freeze()).isSameAs(first);
    map.put(number(2), number(2));
    assertThat(map.freeze()).isNotSameAs(first);
    map.restore(first);
    assertThat(map.freeze()).isSameAs(first);
    assertThat(map.get(number(2))).isNull();
  }

  @Test
  void restoreOfAnotherMapsContentIsInvalid() {
    SortedByteMap.Frozen foreign = new SortedByteMap().freeze();
    assertThatThrownBy(() -> new SortedByteMap().restore(foreign))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
  }

  @Test
  void iteratorKeepsItsRules() {
    SortedByteMap map = new SortedByteMap();
    map.put(number(1), number(10));
    StateIterator rows = map.freeze().scan(ScanRange.all());
    assertKind(StateStoreException.Kind.INVALID, rows::key);
    assertKind(StateStoreException.Kind.INVALID, rows::value);
    assertThat(rows.next()).isTrue();
    assertThat(rows.key().toByteArray()).isEqualTo(number(1));
    assertThat(rows.next()).isFalse();
    assertKind(StateStoreException.Kind.INVALID, rows::key);
    rows.close();
    rows.close();
    assertKind(StateStoreException.Kind.CLOSED, rows::next);
  }

  @Test
  void frozenContentIsReadWhileTheMapChanges() throws InterruptedException {
    SortedByteMap map = new SortedByteMap();
    for (int i = 0; i < 5000; i++) {
      map.put(number(i), number(i));
    }
    SortedByteMap.Frozen frozen = map.freeze();
    List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              for (int round = 0; round < 50; round++) {
                int i = 0;
                try (StateIterator rows = frozen.scan(ScanRange.all())) {
                  while (rows.next()) {
                    assertThat(rows.key().contentEquals(number(i))).isTrue();
                    assertThat(rows.value().contentEquals(number(i))).isTrue();
                    i++;
                  }
                }
                assertThat(i).isEqualTo(5000);
              }
            });
    reader.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
    reader.start();
    Random random = new Random(SEED);
    while (reader.isAlive()) {
      byte[] key = number(random.nextInt(6000));
      if (random.nextBoolean()) {
        map.put(key, number(random.nextInt()));
      } else {
        map.remove(key);
      }
    }
    reader.join();
    assertThat(failures).isEmpty();
  }

  private static void assertKind(StateStoreException.Kind kind, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }

  private static byte[] number(int n) {
    return new byte[] {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n};
  }
}
