package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every verb on a sound store: what it prints, as text and as JSON, and what it changes. */
class VerbsTest {
  @TempDir Path directory;

  private static Map<String, Object> inspect(Path store) {
    return Ran.run("inspect", "--json", "--store", store.toString()).ok().oneJson();
  }

  private static List<String> sortedRows(Path store, String... more) {
    String[] args = new String[more.length + 3];
    args[0] = "scan";
    args[1] = "--store";
    args[2] = store.toString();
    System.arraycopy(more, 0, args, 3, more.length);
    return Ran.run(args).ok().out().lines().skip(1).sorted().toList();
  }

  private List<String> expectedRows(int records) throws IOException {
    try (Stream<String> lines = Files.lines(Flights.csv(directory, records))) {
      Map<String, long[]> rows = new java.util.TreeMap<>();
      lines
          .skip(1)
          .map(line -> line.split(",", -1))
          .forEach(
              f -> {
                long[] row =
                    rows.computeIfAbsent(
                        f[1] + "\t" + f[2] + "\t" + f[0].substring(0, 13) + ":00:00Z",
                        k -> new long[2]);
                row[0]++;
                row[1] += Long.parseLong(f[3]);
              });
      return rows.entrySet().stream()
          .map(e -> e.getKey() + "\t" + e.getValue()[0] + "\t" + e.getValue()[1])
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "rocksdb, slots, hashed",
    "rocksdb, modulo, hashed",
    "rocksdb, slots, ordered",
    "memory, slots, hashed",
    "memory, modulo, ordered"
  })
  void aStoreGoesThroughItsLife(String backend, String layout, String placement)
      throws IOException {
    Path store = directory.resolve("store");
    Path csv = Flights.csv(directory, 3000);
    Files.move(csv, directory.resolve("all.csv"));
    Ran.run(
            Flights.load(
                store,
                directory.resolve("all.csv"),
                "--shards=8",
                "--backend=" + backend,
                "--layout=" + layout,
                "--placement=" + placement,
                "--column-family=flights",
                "--commit-every=1000"))
        .ok();
    List<String> rows = expectedRows(3000);
    assertThat(sortedRows(store)).isEqualTo(rows);
    String digest = Flights.digest(store, 0);
    assertThat(digest).startsWith(rows.size() + ":");
    for (int shards : new int[] {4, 16, 5, 8}) {
      Ran.run("repartition", "--store", store.toString(), "--shards", "" + shards).ok();
      assertThat(inspect(store))
          .containsEntry("shards", (long) shards)
          .containsEntry("layout", layout)
          .containsEntry("backend", backend);
      assertThat(Flights.digest(store, 0)).isEqualTo(digest);
    }
    assertThat(sortedRows(store)).isEqualTo(rows);
    // The state is used on after a repartition: more flights are added to it.
    Ran.run("load", "--store", store.toString(), "--again", directory.resolve("all.csv").toString())
        .ok();
    assertThat(sortedRows(store)).hasSameSizeAs(rows).isNotEqualTo(rows);
    Ran.run("verify", "--store", store.toString(), "--all").ok();
  }

  @Test
  void listInspectScanAndGetShowWhatIsThere() {
    Path store = Flights.store(directory, 500, 8);
    String at = store.toString();
    Ran list = Ran.run("list", "--store", at).ok();
    assertThat(list.out()).contains("version", "commit", "slots");
    assertThat(Ran.run("list", "--store", at, "--json").ok().oneJson())
        .containsEntry("version", 1L)
        .containsEntry("shards", 8L);

    String text = Ran.run("inspect", "--store", at).ok().out();
    assertThat(text).contains("version 1", "8 shards", "skew", "--key '" + Flights.KEY + "'", "#");
    assertThat(inspect(store).get("entries")).isEqualTo((long) sortedRows(store).size());
    assertThat(Ran.run("inspect", "--store", at, "--shard", "3").ok().out())
        .contains("shard 3 of version 1", "files/");
    assertThat(Ran.run("inspect", "--store", at, "--shard", "3", "--json").ok().json())
        .allSatisfy(file -> assertThat(file).containsKeys("object", "sha256", "digest"));

    List<Map<String, Object>> rows = Ran.run("scan", "--store", at, "--json").ok().json();
    for (Map<String, Object> row : rows.subList(0, 20)) {
      String[] key = {
        (String) row.get("origin"), (String) row.get("destination"), (String) row.get("hour(time)")
      };
      assertThat(Ran.run("get", "--json", "--store", at, key[0], key[1], key[2]).ok().oneJson())
          .isEqualTo(row);
    }
    assertThat(sortedRows(store, "--limit", "7")).hasSize(7);
    assertThat(sortedRows(store, "ATL"))
        .isNotEmpty()
        .allMatch(row -> row.startsWith("ATL\t"))
        .hasSize((int) rows.stream().filter(row -> "ATL".equals(row.get("origin"))).count());
    int inShards = 0;
    for (int shard = 0; shard < 8; shard++) {
      inShards += sortedRows(store, "--shard", "" + shard).size();
    }
    assertThat(inShards).isEqualTo(rows.size());
    Ran.run("get", "--store", at, "XXX", "YYY", "2001-01-01T00:00:00Z")
        .fails(ExitCode.MISMATCH)
        .saying("no row with key XXX YYY");
  }

  @Test
  void repartitionRollbackAndVerifyAgree() {
    Path store = Flights.store(directory, 2000, 8);
    String at = store.toString();
    assertThat(Ran.run("repartition", "--store", at, "--shards", "4", "--dry-run").ok().out())
        .contains("nothing was changed");
    assertThat(
            Ran.run("repartition", "--store", at, "--shards", "4", "--dry-run", "--json")
                .ok()
                .oneJson())
        .containsEntry("sourceShards", 8L)
        .containsEntry("targetShards", 4L);
    assertThat(inspect(store)).containsEntry("version", 1L);
    assertThat(Ran.run("repartition", "--store", at, "--shards", "4", "--json").ok().oneJson())
        .containsEntry("version", 2L)
        .containsEntry("shards", 4L);
    Ran.run("verify", "--store", at, "--against", "1").ok();
    String digest = Flights.digest(store, 1);
    Ran.run("verify", "--store", at, "--expect", digest).ok();
    String other = (digest.charAt(0) == '1' ? '2' : '1') + digest.substring(1);
    Ran.run("verify", "--store", at, "--expect", other)
        .fails(ExitCode.MISMATCH)
        .saying("expected " + other, "found " + digest);
    Ran.run("verify", "--store", at, "--expect", "x").fails(ExitCode.INVALID).saying("--expect");

    assertThat(Ran.run("rollback", "--store", at, "--to", "1", "--dry-run").ok().out())
        .contains("would publish version 3");
    Ran.run("rollback", "--store", at, "--to", "1").ok();
    assertThat(inspect(store))
        .containsEntry("version", 3L)
        .containsEntry("shards", 8L)
        .containsEntry("operation", "rollback");
    Ran.run("verify", "--store", at, "--against", "2").ok();
  }

  @Test
  void gcDeletesOnlyWhatIsNotKept() {
    Path store = Flights.store(directory, 2000, 8);
    String at = store.toString();
    for (int shards : new int[] {5, 7, 3}) {
      Ran.run("repartition", "--store", at, "--shards", "" + shards).ok();
    }
    String digest = Flights.digest(store, 0);
    assertThat(Ran.run("gc", "--store", at, "--keep", "2", "--grace", "0", "--dry-run").ok().out())
        .contains("would delete versions 1, 2");
    assertThat(Ran.run("list", "--store", at, "--json").ok().json()).hasSize(4);
    Map<String, Object> deleted =
        Ran.run("gc", "--store", at, "--keep", "2", "--grace", "0", "--json").ok().oneJson();
    assertThat(Ran.number(deleted, "deletedBytes")).isPositive();
    assertThat(Ran.run("list", "--store", at, "--json").ok().json()).hasSize(2);
    Ran.run("verify", "--store", at, "--all", "--expect", digest).ok();
    Ran.run("inspect", "--store", at, "--version", "1").fails(ExitCode.INVALID).saying("3, 4");
  }

  @Test
  void advisePredicts() {
    Path store = Flights.store(directory, 2000, 8);
    String at = store.toString();
    assertThat(Ran.run("advise", "--store", at, "--counts", "4,16").ok().out())
        .contains("skew", "16");
    assertThat(Ran.run("advise", "--store", at, "--json").ok().oneJson())
        .containsKeys("rows", "heaviestKeyShare");
  }

  @Test
  void aLoadIsTakenOnceAndAddsUp() throws IOException {
    Path store = Flights.store(directory, 300, 4);
    Path csv = directory.resolve("flights-300.csv");
    List<String> rows = sortedRows(store);
    Ran.run("load", "--store", store.toString(), csv.toString())
        .ok()
        .saying("is in the store already");
    assertThat(sortedRows(store)).isEqualTo(rows);
    Path packed = directory.resolve("packed.bin");
    try (var out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(csv, out);
    }
    assertThat(
            Ran.run("load", "--json", "--store", store.toString(), packed.toString())
                .ok()
                .oneJson())
        .containsEntry("records", 300L)
        .containsEntry("version", 2L);
    assertThat(sortedRows(store)).hasSameSizeAs(rows);
    assertThat(
            Ran.run("scan", "--json", "--store", store.toString()).ok().json().stream()
                .mapToLong(row -> Ran.number(row, "count()"))
                .sum())
        .isEqualTo(600);
  }

  @Test
  void jsonLinesBecomeRows() throws IOException {
    Path input = directory.resolve("users.jsonl");
    Files.writeString(
        input,
        """
        {"id":7,"name":"Zoë","on":true}
        {"id":-1,"name":null}
        nonsense
        {"id":7,"name":"Bo\\t"}
        {"name":"nobody"}
        """);
    String at = directory.resolve("users").toString();
    String[] load = {
      "load",
      "--store",
      at,
      "--key",
      "int(id)",
      "--value",
      "name,bool(on)",
      "--shards",
      "2",
      "--backend",
      "memory",
      input.toString(),
      "--on-error"
    };
    Ran.run(with(load, "fail"))
        .fails(ExitCode.INVALID)
        .saying("users.jsonl, line 3: not JSON", "--on-error skip");
    Ran ran = Ran.run(with(load, "skip")).ok();
    assertThat(ran.out()).contains("loaded 3 records, skipped 2 malformed");
    assertThat(ran.err()).contains("line 3", "line 5: key column 'id' is absent");
    assertThat(Ran.run("scan", "--store", at).ok().out().lines().skip(1))
        .containsExactlyInAnyOrder("-1\t\t", "7\tBo\\t\t");
  }

  private static String[] with(String[] args, String last) {
    String[] all = java.util.Arrays.copyOf(args, args.length + 1);
    all[args.length] = last;
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"repartition --shards 3", "verify", "scan"})
  void ctrlCEndsWith130AndChangesNothing(String verb) {
    Path store = Flights.store(directory, 3000, 8);
    String[] args = (verb + " --store " + store).split(" ", -1);
    Ran.interrupted(args).fails(ExitCode.INTERRUPTED).saying("stopped");
    assertThat(Ran.run("list", "--store", store.toString(), "--json").ok().json()).hasSize(1);
    Ran.run(args).ok();
  }

  @Test
  void ctrlCOfALoadGoesOnWhereTheLastVersionEnds() {
    Path store = directory.resolve("store");
    Path csv = Flights.csv(directory, 3000);
    String[] load =
        Flights.load(store, csv, "--shards=8", "--backend=memory", "--commit-every=1000");
    Ran.interrupted(load)
        .fails(ExitCode.INTERRUPTED)
        .saying("version 1", "Run the same command again");
    assertThat(inspect(store)).containsEntry("version", 1L);
    assertThat(Ran.run(load).ok().saying("going on after record 1,000").out())
        .contains("loaded 2,000 records", "passed over 1,000");
    assertThat(inspect(store)).containsEntry("version", 3L);
    Path whole = directory.resolve("whole");
    Ran.run(Flights.load(whole, csv, "--shards=5", "--backend=memory")).ok();
    assertThat(Flights.digest(store, 0)).isEqualTo(Flights.digest(whole, 0));
  }

  @Test
  void aDryRunOfALoadChangesNothing() {
    Path store = directory.resolve("store");
    assertThat(Ran.run(Flights.load(store, Flights.csv(directory, 50), "--dry-run")).ok().out())
        .contains("would load 50 records");
    assertThat(store.resolve("store.json")).doesNotExist();
  }

  @Test
  void theTerminalSeesProgressAndColours() {
    Path store = Flights.store(directory, 2000, 8);
    Ran ran = Ran.inTerminal("inspect", "--store", store.toString()).ok();
    assertThat(ran.out()).contains("\u001b[1m", "█");
    ran = Ran.inTerminal("verify", "--store", store.toString()).ok();
    assertThat(ran.err()).contains("\r", "verify", "\u001b[K");
    assertThat(Ran.run("verify", "--store", store.toString()).ok().err()).isEmpty();
  }
}
