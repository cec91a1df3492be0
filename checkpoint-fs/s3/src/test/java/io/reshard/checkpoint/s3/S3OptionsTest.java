package io.reshard.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStores;
import io.reshard.checkpoint.StoreOptions;
import io.reshard.checkpoint.s3.FaultyHttp.Fault;
import io.reshard.spi.StateStoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Locations and options: what they mean, and what is refused. */
class S3OptionsTest {
  private static S3Options options(String... namesAndValues) {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      options.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return S3Options.of(StoreOptions.of(options));
  }

  @ParameterizedTest
  @CsvSource({
    "s3://bucket,            bucket, '',      s3://bucket",
    "s3://bucket/,           bucket, '',      s3://bucket",
    "s3://bucket/a/b,        bucket, a/b/,    s3://bucket/a/b",
    "s3://bucket/a/b//,      bucket, a/b/,    s3://bucket/a/b",
    "s3a://b.c-d/x,          b.c-d,  x/,      s3://b.c-d/x",
    "S3://bucket/env=t/q@1,  bucket, env=t/q@1/, s3://bucket/env=t/q@1",
  })
  void readsLocations(String location, String bucket, String prefix, String shown) {
    S3Location place = S3Location.parse(location);
    assertThat(place.bucket()).isEqualTo(bucket);
    assertThat(place.prefix()).isEqualTo(prefix);
    assertThat(place).hasToString(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3://",
        "s3:///x",
        "s3://b",
        "s3://bucket/a/../b",
        "s3://bucket/a//b",
        "s3://bucket/./b",
        "s3://bucket/a b",
        "s3://bucket/a?b",
        "s3://buck et/a",
        "s3:bucket",
        "s3://key:secret@bucket/x"
      })
  void refusesLocations(String location) {
    assertInvalid(() -> S3Location.parse(location), "location");
  }

  @Test
  void refusesBucketsThatListInNoOrder() {
    assertThatThrownBy(() -> S3Location.parse("s3://bucket--euw1-az1--x-s3/a"))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INCOMPATIBLE));
  }

  @Test
  void refusesAPrefixThatLeavesNoRoomForNames() {
    String longest = "x".repeat(1024 - 1 - 255);
    assertThat(S3Location.parse("s3://bucket/" + longest).prefix()).hasSize(769);
    assertInvalid(() -> S3Location.parse("s3://bucket/" + longest + "y"), "768 bytes");
  }

  @Test
  void readsOptions() {
    S3Options options =
        options(
            "s3.endpoint", "http://localhost:9000",
            "s3.encryption", "SSE-KMS",
            "s3.kms-key", "alias/key",
            "s3.storage-class", "intelligent_tiering",
            "s3.part-bytes", "16m",
            "s3.timeout", "1500ms");
    assertThat(options.pathStyle()).isTrue();
    assertThat(options.encryption()).isEqualTo(S3Options.Encryption.SSE_KMS);
    assertThat(options.storageClass()).isEqualTo("INTELLIGENT_TIERING");
    assertThat(options.partBytes()).isEqualTo(16 << 20);
    assertThat(options.timeout()).hasMillis(1500);
    assertThat(options().pathStyle()).isFalse();
    // S3 takes 10,000 parts.
    assertThat(options().partBytesFor(5L << 40) * 10_000).isGreaterThanOrEqualTo(5L << 40);
  }

  @Test
  void refusesOptions() {
    assertInvalid(() -> options("s3.endpont", "x"), "s3.endpoint");
    assertInvalid(() -> options("s3.endpoint", "localhost:9000"), "https://host:port");
    assertInvalid(() -> options("s3.endpoint", "ftp://x"), "https://host:port");
    assertInvalid(() -> options("s3.path-style", "yes"), "true or false");
    assertInvalid(() -> options("s3.encryption", "rot13"), "sse-kms");
    assertInvalid(() -> options("s3.kms-key", "k"), "sse-kms");
    assertInvalid(() -> options("s3.part-bytes", "1m"), "5242880");
    assertInvalid(() -> options("s3.part-bytes", "99999999999g"), "5242880");
    assertInvalid(() -> options("s3.parallel", "0"), "1 to 256");
    assertInvalid(() -> options("s3.timeout", "0s"), "30s");
    assertInvalid(() -> options("s3.tags", "a=b&"), "stage=test");
    assertInvalid(() -> options("s3.storage-class", "a b"), "letters");
    assertThatThrownBy(() -> options("s3.endpoint", "http://user:pass-word@host"))
        .hasMessageNotContaining("pass-word");
    assertInvalid(() -> StoreOptions.of(Map.of("S3 endpoint", "x")), "no name of an option");
  }

  @Test
  void whatTheUserSaysOfNewObjectsIsSentWithEachAndWithNoPart(@TempDir Path directory)
      throws Exception {
    Queue<String> heads = new ConcurrentLinkedQueue<>();
    try (S3Server.Unsigned server = S3Server.unsigned();
        FaultyHttp network =
            FaultyHttp.before(
                server.endpoint(),
                (number, head) -> {
                  heads.add(head.toLowerCase(java.util.Locale.ROOT));
                  return Fault.NONE;
                });
        ObjectStore objects =
            ObjectStores.open(
                S3Server.get().newLocation(),
                StoreOptions.of(
                    Map.of(
                        "s3.endpoint", network.endpoint(),
                        "staging", directory.resolve("staging").toString(),
                        "s3.encryption", "sse-kms",
                        "s3.kms-key", "the-key",
                        "s3.storage-class", "STANDARD_IA",
                        "s3.tags", "team=search",
                        "s3.multipart-bytes", "5m",
                        "s3.part-bytes", "5m")))) {
      Path file = Files.write(directory.resolve("f"), new byte[6 << 20]);
      assertThat(objects.putIfAbsent("small", new byte[10])).isTrue();
      assertThat(objects.putIfAbsent("large", file)).isTrue();
    }
    List<String> creations =
        heads.stream()
            .filter(head -> head.contains("/small ") || head.contains("?uploads"))
            .toList();
    assertThat(creations)
        .hasSize(2)
        .allSatisfy(
            head ->
                assertThat(head)
                    .contains(
                        "x-amz-server-side-encryption: aws:kms",
                        "x-amz-server-side-encryption-aws-kms-key-id: the-key",
                        "x-amz-storage-class: standard_ia",
                        "x-amz-tagging: team=search",
                        "x-amz-meta-reshard-creation: ",
                        "x-amz-meta-reshard-sha256: "));
    assertThat(heads)
        .filteredOn(head -> head.contains("partnumber="))
        .hasSize(2)
        .allSatisfy(
            head ->
                assertThat(head).contains("x-amz-checksum-sha256: ").doesNotContain("x-amz-tag"));
    assertThat(heads)
        .filteredOn(
            head ->
                head.contains("/small ")
                    || (head.startsWith("post /") && head.contains("?uploadid")))
        .hasSize(2)
        .allSatisfy(head -> assertThat(head).contains("if-none-match: *"));
  }

  private static void assertInvalid(Runnable call, String text) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID);
              assertThat(e).hasMessageContaining(text);
            });
  }
}
