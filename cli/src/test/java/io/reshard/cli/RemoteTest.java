package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.checkpoint.hdfs.MiniCluster;
import io.reshard.checkpoint.s3.S3Server;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every verb on S3 and on HDFS, as on local disk. */
class RemoteTest {
  @TempDir Path directory;

  private List<String> s3Options() {
    return List.of(
        "--store-option",
        "s3.endpoint=" + S3Server.get().endpoint(),
        "--store-option",
        "staging=" + directory.resolve("staging"));
  }

  @Test
  void everyVerbWorksOnS3() throws IOException {
    everyVerbWorks(S3Server.get().newLocation(), s3Options());
  }

  @Test
  void everyVerbWorksOnHdfs() throws IOException {
    everyVerbWorks(
        MiniCluster.get().newLocation(),
        List.of("--store-option", "staging=" + directory.resolve("staging")));
  }

  private void everyVerbWorks(String location, List<String> options) throws IOException {
    assertThat(run(location, options, "demo", "--rows", "3000", "--backend", "memory").ok().out())
        .contains("OK  200 -> 100 -> 400 -> 200 shards", "requests (");
    Map<String, Object> newest = run(location, options, "list", "--json").ok().json().get(0);
    assertThat(newest).containsKey("version");
    String rows = run(location, options, "verify", "--json").ok().oneJson().get("digest") + "";
    assertThat(run(location, options, "inspect").ok().out()).contains("200");
    String[] key =
        run(location, options, "scan", "--limit", "1")
            .ok()
            .out()
            .lines()
            .toList()
            .get(0)
            .split("\\s+", -1);
    assertThat(key).isNotEmpty();
    Ran dryRun = run(location, options, "repartition", "--shards", "50", "--dry-run", "--json");
    assertThat(Ran.number(dryRun.ok().oneJson(), "bytesRewritten")).isZero();
    Ran repartitioned = run(location, options, "repartition", "--shards", "50", "--json");
    assertThat(Ran.number(repartitioned.ok().oneJson(), "shards")).isEqualTo(50);
    assertThat(repartitioned.out()).contains("\"requests\":{\"put\":");
    run(location, options, "verify", "--expect", rows).ok();
    run(location, options, "rollback", "--to", "1").ok();
    run(location, options, "advise", "--counts", "10,20").ok();
    Path more = directory.resolve("more.csv");
    Files.writeString(more, "origin,destination,time,delay\nAAA,BBB,2001-01-01T00:00:00Z,5\n");
    run(location, options, "load", "--backend", "memory", more.toString()).ok();
    run(location, options, "get", "AAA", "BBB", "2001-01-01T00:00:00Z").ok();
    Map<String, Object> gc =
        run(location, options, "gc", "--keep", "1", "--grace", "0", "--json").ok().oneJson();
    assertThat(gc).containsEntry("unfinishedTransfers", 0L);
    run(location, options, "verify", "--all").ok();
    run(location, options, "demo", "--rows", "10").fails(ExitCode.INVALID).saying("already");
  }

  private static Ran run(String location, List<String> options, String verb, String... more) {
    List<String> args = new ArrayList<>(List.of(verb, "--store", location));
    args.addAll(options);
    args.addAll(List.of(more));
    return Ran.run(args.toArray(new String[0]));
  }

  @Test
  void placesThatCannotBeOpenedSayWhatToTry() {
    run("s3://no-such-bucket-here/x", s3Options(), "list")
        .fails(ExitCode.INVALID)
        .saying("no such bucket");
    run("s3://key:secret@bucket/x", List.of(), "list")
        .fails(ExitCode.INVALID)
        .saying("credentials");
    run("s3://bucket/x", List.of("--store-option", "s3.endpont=x"), "list")
        .fails(ExitCode.INVALID)
        .saying("s3.endpont", "s3.endpoint");
    run(
            "s3://bucket/x",
            List.of(
                "--store-option",
                "s3.endpoint=http://127.0.0.1:1",
                "--store-option",
                "s3.retry-budget=100ms"),
            "list")
        .fails(ExitCode.UNAVAILABLE)
        .saying("s3://bucket/x", "endpoint");
    run("hdfs://127.0.0.1:1/x", List.of(), "list").fails(ExitCode.UNAVAILABLE).saying("NameNode");
    run("gopher://x/y", List.of(), "list").fails(ExitCode.INVALID).saying("gopher", "s3", "hdfs");
  }

  /** What is set here as a secret must be nowhere in what the command writes or keeps. */
  @Test
  void noSecretIsEverShown() throws Exception {
    String token = "SESSION-TOKEN-nobody-may-see";
    String location = S3Server.get().newLocation();
    for (String secret : List.of(S3Server.SECRET, "a-wrong-secret-nobody-may-see")) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(List.of("io.reshard.cli.Main", "demo", "--store", location));
      command.addAll(List.of("--rows", "100", "--backend", "memory", "--debug"));
      command.addAll(s3Options());
      File out = directory.resolve("out").toFile();
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectOutput(out);
      builder.environment().put("AWS_ACCESS_KEY_ID", S3Server.IDENTITY);
      builder.environment().put("AWS_SECRET_ACCESS_KEY", secret);
      builder.environment().put("AWS_SESSION_TOKEN", token);
      Process process = builder.start();
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
      String said = Files.readString(out.toPath(), StandardCharsets.UTF_8);
      assertThat(process.exitValue())
          .as(said)
          .isEqualTo(secret.equals(S3Server.SECRET) ? 0 : ExitCode.UNAVAILABLE.code());
      assertThat(said).contains("s3://").doesNotContain(secret, token, S3Server.SECRET);
    }
    assertThat(run(location, s3Options(), "inspect", "--json").ok().out())
        .doesNotContain(S3Server.SECRET, token);
  }
}
