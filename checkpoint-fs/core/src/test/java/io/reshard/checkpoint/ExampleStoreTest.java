package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The store that docs/checkpoint-format.md shows: today's code must read it, and write the same.
 */
@NullUnmarked
class ExampleStoreTest {
  @TempDir Path directory;
  private CheckpointStore store;

  @BeforeEach
  void copy() throws IOException, URISyntaxException {
    Path example = Path.of(getClass().getResource("/example-store/store.json").toURI()).getParent();
    Path root = directory.resolve("store");
    try (Stream<Path> files = Files.walk(example)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = root.resolve(example.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
    store = CheckpointStore.open(ObjectStores.open(root));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void isRead() {
    assertThat(store.storeId()).isEqualTo("ea36cef5-cc6c-4b0a-a428-7407fc2a045a");
    assertThat(store.versions()).containsExactly(1L, 2L);
    Manifest first = store.manifest(1);
    Manifest second = store.manifest(2);
    assertThat(Rows.read(store, first, "default")).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(Rows.read(store, second, "default")).isEqualTo(Map.of("a", "1", "b", "20"));
    assertThat(Rows.read(store, second, "timers")).isEqualTo(Map.of("a9", ""));
    assertThat(second.properties()).isEqualTo(Map.of("batch", "2"));
    for (Manifest manifest : List.of(first, second)) {
      StoreVerifier.Report report = StoreVerifier.verify(store, manifest, 2, shard -> {});
      assertThat(report.rows()).isEqualTo(manifest.digest());
    }
  }

  @Test
  void isWrittenTheSame() throws IOException {
    for (long version : store.versions()) {
      String name = StoreNames.manifest(version);
      assertThat(Envelope.wrap(ManifestFormat.write(store.manifest(version))))
          .isEqualTo(Files.readAllBytes(directory.resolve("store").resolve(name)));
      for (int shard = 0; shard < 2; shard++) {
        ShardRef ref = store.manifest(version).shards().get(shard);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ShardListFormat.write(store.files(store.manifest(version), shard), out);
        byte[] list = out.toByteArray();
        byte[] lists = Files.readAllBytes(directory.resolve("store").resolve(ref.object()));
        assertThat(list)
            .isEqualTo(
                java.util.Arrays.copyOfRange(lists, ref.offset(), ref.offset() + ref.length()));
      }
    }
  }

  /** The fields that the specification derives by hand. */
  @Test
  void slotsAndDigestsAreAsDescribed() {
    FileRef file =
        store.files(store.manifest(2), 1).stream()
            .filter(f -> f.columnFamily().equals("default"))
            .findFirst()
            .orElseThrow();
    assertThat(file.firstSlot()).isEqualTo(59_078);
    assertThat(file.digest().toString()).isEqualTo("1:16fdb53ff02cc465b59c0a381eedea74");
    assertThat(store.manifest(2).shards().get(1).digest())
        .hasToString("2:0bda29f7e946429ba6b023c2ccc8409c");
  }
}
