package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every {@link ObjectStore} must keep; the numbers are those of its rules. */
@NullUnmarked
public abstract class ObjectStoreContract {
  /** Scratch space. */
  @TempDir protected Path directory;

  private final List<ObjectStore> opened = new ArrayList<>();
  private ObjectStore objects;

  /** Opens the place of this test, empty at the first call; at every call a client of its own. */
  protected abstract ObjectStore open() throws Exception;

  @BeforeEach
  final void openFirst() throws Exception {
    objects = another();
  }

  private ObjectStore another() throws Exception {
    ObjectStore client = open();
    opened.add(client);
    return client;
  }

  @AfterEach
  final void closeAll() {
    opened.forEach(ObjectStore::close);
  }

  @Test
  void o1_exactlyOneOfSeveralWritersCreatesAnObject() throws Exception {
    int writers = 4;
    ExecutorService pool = Executors.newFixedThreadPool(writers);
    try {
      for (int round = 0; round < 15; round++) {
        String name = "race/" + round;
        CyclicBarrier start = new CyclicBarrier(writers);
        List<Callable<Boolean>> puts = new ArrayList<>();
        for (int w = 0; w < writers; w++) {
          ObjectStore client = another();
          byte[] content = content(w, 100 + w);
          Path file = w % 2 == 0 ? null : file(content);
          puts.add(
              () -> {
                start.await();
                return file == null
                    ? client.putIfAbsent(name, content)
                    : client.putIfAbsent(name, file);
              });
        }
        List<Integer> winners = new ArrayList<>();
        List<Future<Boolean>> results = pool.invokeAll(puts);
        for (int w = 0; w < writers; w++) {
          if (results.get(w).get()) {
            winners.add(w);
          }
        }
        assertThat(winners).hasSize(1);
        assertThat(read(name)).isEqualTo(content(winners.get(0), 100 + winners.get(0)));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void o1_aSecondPutChangesNothing() throws Exception {
    assertThat(objects.putIfAbsent("a/b", content(1, 10))).isTrue();
    assertThat(objects.putIfAbsent("a/b", content(2, 20))).isFalse();
    assertThat(objects.putIfAbsent("a/b", file(content(3, 30)))).isFalse();
    assertThat(read("a/b")).isEqualTo(content(1, 10));
    assertThat(objects.info("a/b").size()).isEqualTo(10);
  }

  @Test
  void o3_anotherClientReadsWhatOneCreated() throws Exception {
    byte[] large = content(7, 3 << 20);
    assertThat(objects.putIfAbsent("large", file(large))).isTrue();
    assertThat(objects.putIfAbsent("empty", new byte[0])).isTrue();
    ObjectStore client = another();
    assertThat(read(client, "large")).isEqualTo(large);
    assertThat(read(client, "empty")).isEmpty();
  }

  @Test
  void o3_aFileThatBecameAnObjectMayBeDeleted() throws Exception {
    Path file = file(content(1, 1000));
    objects.putIfAbsent("x", file);
    Files.delete(file);
    assertThat(read("x")).isEqualTo(content(1, 1000));
  }

  @Test
  void readsAnyRange() {
    byte[] bytes = content(5, 10_000);
    objects.putIfAbsent("ranges", bytes);
    Random random = new Random(5);
    try (SstSource source = objects.open("ranges")) {
      assertThat(source.size()).isEqualTo(bytes.length);
      for (int i = 0; i < 30; i++) {
        int from = random.nextInt(bytes.length);
        int length = random.nextInt(bytes.length - from + 1);
        byte[] target = new byte[length + 2];
        source.read(from, target, 1, length);
        assertThat(Arrays.copyOfRange(target, 1, length + 1))
            .isEqualTo(Arrays.copyOfRange(bytes, from, from + length));
      }
    }
  }

  @Test
  void aRangeBeyondTheEndIsCorrupt() {
    objects.putIfAbsent("short", content(5, 10));
    try (SstSource source = objects.open("short")) {
      for (long at : new long[] {1, 10, 11, 1L << 62, Long.MAX_VALUE - 3, -1}) {
        assertKind(StateStoreException.Kind.CORRUPT, () -> source.read(at, new byte[10], 0, 10));
      }
    }
  }

  @Test
  void o4_listsInOrderOfWholeNamesInPages() {
    List<String> names =
        List.of("a", "a-b", "a.b/x", "a/b", "a/b-c", "a/b0", "a0", "b/a/c/d", "b/a/c/e", "c");
    // Not "a" and "a/b" in one store: a file system cannot hold both.
    TreeSet<String> expected = new TreeSet<>(names);
    expected.remove("a");
    expected.forEach(name -> objects.putIfAbsent(name, content(1, name.length())));
    for (int limit : new int[] {1, 2, 3, 100}) {
      assertThat(allPages(limit)).containsExactlyElementsOf(expected);
    }
    for (String prefix : List.of("a", "a/", "a/b", "b/a/c/", "b/a/c/d", "z", "a/b/")) {
      assertThat(objects.list(prefix, "", 100))
          .extracting(ObjectInfo::name)
          .containsExactlyElementsOf(
              expected.stream().filter(name -> name.startsWith(prefix)).toList());
    }
    for (String after : List.of("a", "a/", "a/b", "a/z", "b/a/c/d", "b", "zzz")) {
      assertThat(objects.list("", after, 100))
          .extracting(ObjectInfo::name)
          .containsExactlyElementsOf(expected.tailSet(after, false));
    }
  }

  private List<String> allPages(int limit) {
    List<String> names = new ArrayList<>();
    List<ObjectInfo> page = objects.list("", "", limit);
    while (!page.isEmpty()) {
      assertThat(page).hasSizeLessThanOrEqualTo(limit);
      page.forEach(info -> names.add(info.name()));
      page = objects.list("", names.get(names.size() - 1), limit);
    }
    return names;
  }

  @Test
  void o4_listShowsSizeAndTime() {
    long before = System.currentTimeMillis() - 60_000;
    objects.putIfAbsent("d/one", content(1, 17));
    ObjectInfo listed = objects.list("d/", "", 10).get(0);
    assertThat(listed.size()).isEqualTo(17);
    assertThat(listed.modifiedMillis()).isGreaterThan(before);
    assertThat(objects.info("d/one")).isEqualTo(listed);
  }

  @Test
  void theTimeOfAnObjectIsWhenItWasCreatedNotItsFile() throws Exception {
    Path file = file(content(1, 10));
    Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.fromMillis(1_000_000));
    objects.putIfAbsent("old", file);
    assertThat(objects.info("old").modifiedMillis())
        .isGreaterThan(System.currentTimeMillis() - 3_600_000);
  }

  @Test
  void o5_whatDoesNotExistIsNull() {
    objects.putIfAbsent("there", content(1, 1));
    for (String name : List.of("nothing", "no/thing", "there/not")) {
      assertThat(objects.open(name)).isNull();
      assertThat(objects.info(name)).isNull();
      assertThat(objects.download(name, 0, 1, directory.resolve("none"))).isFalse();
    }
    assertThat(objects.list("nothing/", "", 10)).isEmpty();
    assertThat(directory.resolve("none")).doesNotExist();
  }

  @Test
  void deletedObjectsAreGoneAndMayBeCreatedAgain() throws Exception {
    objects.putIfAbsent("d/x", content(1, 10));
    objects.delete("d/x");
    objects.delete("d/x");
    objects.delete("never/there");
    assertThat(objects.info("d/x")).isNull();
    assertThat(objects.list("", "", 10)).isEmpty();
    assertThat(objects.putIfAbsent("d/x", content(2, 20))).isTrue();
    assertThat(read("d/x")).isEqualTo(content(2, 20));
  }

  @Test
  void downloadsAPartOrTheWhole() throws Exception {
    byte[] bytes = content(9, (2 << 20) + 77);
    objects.putIfAbsent("o", file(bytes));
    int[][] ranges = {{0, bytes.length}, {1, bytes.length - 1}, {5, 0}, {100, 2_000_000}};
    for (int i = 0; i < ranges.length; i++) {
      Path target = directory.resolve("part" + i);
      assertThat(objects.download("o", ranges[i][0], ranges[i][1], target)).isTrue();
      assertThat(Files.readAllBytes(target))
          .isEqualTo(Arrays.copyOfRange(bytes, ranges[i][0], ranges[i][0] + ranges[i][1]));
    }
    assertKind(
        StateStoreException.Kind.CORRUPT,
        () -> objects.download("o", 10, bytes.length, directory.resolve("beyond")));
  }

  @Test
  void namesThatAreNoneAreInvalid() {
    for (String name :
        List.of(
            "",
            "/",
            "/etc/passwd",
            "..",
            ".",
            "a/..",
            "../a",
            "a/../b",
            "a//b",
            "a/",
            "a/./b",
            "a b",
            "a\\b",
            "ä",
            "a\0b",
            "a\nb",
            "a:b",
            "x".repeat(256))) {
      assertKind(StateStoreException.Kind.INVALID, () -> objects.open(name));
      assertKind(StateStoreException.Kind.INVALID, () -> objects.info(name));
      assertKind(StateStoreException.Kind.INVALID, () -> objects.putIfAbsent(name, new byte[1]));
      assertKind(
          StateStoreException.Kind.INVALID, () -> objects.putIfAbsent(name, file(new byte[1])));
      assertKind(StateStoreException.Kind.INVALID, () -> objects.delete(name));
    }
    String longest = "x".repeat(200) + "/" + "y".repeat(54);
    assertThat(objects.putIfAbsent(longest, content(1, 3))).isTrue();
    assertThat(objects.list("", "", 2)).extracting(ObjectInfo::name).containsExactly(longest);
  }

  @Test
  void filesOnTheirWayAreNoObjects() throws Exception {
    Path staging = objects.stagingDirectory();
    assertThat(staging).isDirectory();
    Files.write(staging.resolve("file"), new byte[10]);
    assertThat(objects.list("", "", 10)).isEmpty();
  }

  @Test
  void aMissingFileIsUnavailableAndCreatesNothing() {
    assertKind(
        StateStoreException.Kind.UNAVAILABLE,
        () -> objects.putIfAbsent("x", directory.resolve("no such file")));
    assertThat(objects.info("x")).isNull();
  }

  @Test
  void afterCloseEveryCallIsClosed() {
    objects.putIfAbsent("x", content(1, 1));
    objects.close();
    objects.close();
    assertKind(StateStoreException.Kind.CLOSED, () -> objects.open("x"));
    assertKind(StateStoreException.Kind.CLOSED, () -> objects.info("x"));
    assertKind(StateStoreException.Kind.CLOSED, () -> objects.list("", "", 1));
    assertKind(StateStoreException.Kind.CLOSED, () -> objects.putIfAbsent("y", new byte[1]));
    assertKind(StateStoreException.Kind.CLOSED, () -> objects.delete("x"));
  }

  private byte[] read(String name) {
    return read(objects, name);
  }

  private static byte[] read(ObjectStore client, String name) {
    try (SstSource source = Objects.requireNonNull(client.open(name))) {
      byte[] bytes = new byte[(int) source.size()];
      source.read(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  private Path file(byte[] content) {
    try {
      return Files.write(Files.createTempFile(directory, "file", ""), content);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] content(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void assertKind(StateStoreException.Kind kind, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }
}
