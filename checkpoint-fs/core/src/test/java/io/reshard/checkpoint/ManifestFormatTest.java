package io.reshard.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestFormatTest {
  private static final String SHA = "ab".repeat(32);

  private static Manifest manifest() {
    ShardRef shard =
        new ShardRef(
            "shards/" + SHA + ".json", 10, 20, SHA, 2, 300, 1, SetDigest.of(7, -1, Long.MIN_VALUE));
    return new Manifest(
        "store",
        7,
        6,
        "writer",
        1234567890123L,
        Manifest.Operation.REPARTITION,
        "memory",
        Layout.slots(2),
        List.of(
            ColumnFamily.hashed("default").withPartitionKey(PartitionKey.first(4)),
            ColumnFamily.ordered("timers")),
        List.of(shard, ShardRef.empty()),
        Map.of("batch", "17", "Grüße", "\"\\\n\u0000"));
  }

  private static Manifest read(byte[] bytes) {
    return ManifestFormat.read(Envelope.unwrap("manifests/7.json", bytes));
  }

  private static Manifest readBody(String body) {
    return read(Envelope.wrap(body.getBytes(UTF_8)));
  }

  @Test
  void whatIsWrittenIsRead() {
    assertThat(read(Envelope.wrap(ManifestFormat.write(manifest())))).isEqualTo(manifest());
  }

  @Test
  void everyFlippedBitIsCorrupt() {
    byte[] bytes = Envelope.wrap(ManifestFormat.write(manifest()));
    for (int i = 0; i < bytes.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        bytes[i] ^= (byte) (1 << bit);
        assertKind(Kind.CORRUPT, () -> read(bytes), "manifests/7.json");
        bytes[i] ^= (byte) (1 << bit);
      }
    }
  }

  @Test
  void everyTruncationAndAnythingAddedIsCorrupt() {
    byte[] bytes = Envelope.wrap(ManifestFormat.write(manifest()));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertKind(Kind.CORRUPT, () -> read(cut), "manifests/7.json");
    }
    assertKind(Kind.CORRUPT, () -> read(java.util.Arrays.copyOf(bytes, bytes.length + 1)), "");
  }

  @Test
  void badBodiesOfRightDigestAreRefused() {
    String good = new String(ManifestFormat.write(manifest()), UTF_8);
    assertThat(readBody(good)).isEqualTo(manifest());
    Object[][] cases = {
      {"\"shards/" + SHA + ".json\"", "\"../../etc/passwd\"", Kind.CORRUPT, "../../etc/passwd"},
      {"\"shards/" + SHA + ".json\"", "\"/etc/passwd\"", Kind.CORRUPT, "/etc/passwd"},
      {"\"shards/" + SHA + ".json\"", "\"shards/../store.json\"", Kind.CORRUPT, "store.json"},
      {"\"length\":20", "\"length\":4611686018427387904", Kind.CORRUPT, "4611686018427387904"},
      {"\"length\":20", "\"length\":-1", Kind.CORRUPT, "-1"},
      {"\"length\":20", "\"length\":1e1", Kind.CORRUPT, "whole number"},
      {"\"length\":20", "\"length\":99999999999999999999", Kind.CORRUPT, ""},
      {"\"length\":20", "\"length\":\"20\"", Kind.CORRUPT, "whole number"},
      {"\"offset\":10,", "", Kind.CORRUPT, "digest"},
      {"\"formatVersion\":1", "\"formatVersion\":2", Kind.INCOMPATIBLE, "version 2"},
      {"\"parent\":6", "\"parent\":6,\"later\":{}", Kind.INCOMPATIBLE, "later"},
      {"\"parent\":6", "\"parent\":6,\"parent\":6", Kind.CORRUPT, "parent"},
      {"\"parent\":6", "\"parent\":7", Kind.CORRUPT, "parent"},
      {"\"parent\":6,", "", Kind.CORRUPT, "parent"},
      {"\"repartition\"", "\"REPARTITION\"", Kind.INCOMPATIBLE, "REPARTITION"},
      {"\"xxh3-64\"", "\"md5\"", Kind.INCOMPATIBLE, "md5"},
      {"\"shards\":2", "\"shards\":3", Kind.CORRUPT, "3"},
      {"\"shards\":2", "\"shards\":65537", Kind.CORRUPT, "65537"},
      {"\"first:4\"", "\"first:0\"", Kind.CORRUPT, "FIRST"},
      {"\"timers\"", "\"default\"", Kind.CORRUPT, "default"},
      {"\"timers\"", "\"..\"", Kind.CORRUPT, ".."},
      {"\"default\"", "null", Kind.CORRUPT, "text"},
      {"reshard-manifest", "reshard-store", Kind.CORRUPT, "reshard-store"},
      {"{}]", "[]]", Kind.CORRUPT, "object"},
      {"7:ff", "-7:ff", Kind.CORRUPT, ""},
    };
    for (Object[] c : cases) {
      String body = good.replace((String) c[0], (String) c[1]);
      assertThat(body).as("%s", c[0]).isNotEqualTo(good);
      if (c[0].equals("\"offset\":10,")) {
        assertThat(readBody(body)).isNotEqualTo(manifest()); // 0 is an offset, too.
      } else {
        assertKind((Kind) c[2], () -> readBody(body), (String) c[3]);
      }
    }
    assertKind(Kind.CORRUPT, () -> readBody(good + " {}"), "");
    assertKind(Kind.CORRUPT, () -> readBody(""), "");
    assertKind(Kind.CORRUPT, () -> readBody("[".repeat(100_000)), "");
    assertKind(Kind.CORRUPT, () -> readBody("{\"format\":\"" + "x".repeat(10_000_000)), "");
  }

  @Test
  void errorsNameTheOffset() {
    String good = new String(ManifestFormat.write(manifest()), UTF_8);
    String bad = good.replace("\"length\":20", "\"length\":-1");
    byte[] bytes = Envelope.wrap(bad.getBytes(UTF_8));
    int at = new String(bytes, UTF_8).indexOf(":-1") + 1;
    assertKind(Kind.CORRUPT, () -> read(bytes), "offset " + at + ":");
  }

  private static void assertKind(Kind kind, Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class, e -> assertThat(e.kind()).as("%s", e).isEqualTo(kind))
        .hasMessageContaining(message);
  }
}
