package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.checkpoint.SetDigest;
import io.reshard.checkpoint.StoreVerifier;
import io.reshard.spi.StateStoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reshard verify}. */
@Command(
    name = "verify",
    description = {
      "Recompute from the bytes everything a version claims.",
      "",
      "Length and SHA-256 of every file, block checksums, order, digests, key bounds, and that every"
          + " row lies in the shard its key hashes to. Damage ends with exit code 4; rows that"
          + " differ from those expected, with exit code 3."
    },
    footer = {
      "  reshard verify --store ./state",
      "  reshard verify --store ./state --version 3 --against 2",
      "  reshard verify --store ./state --all --json",
      "  reshard verify --store ./state --expect 156631:0123456789abcdef0123456789abcdef"
    })
final class VerifyCommand extends StoreVerb {
  @Option(
      names = "--version",
      order = 1,
      paramLabel = "V",
      description = "Which version (default: the newest).")
  long version;

  @Option(names = "--all", order = 2, description = "Verify every version.")
  boolean all;

  @Option(
      names = "--against",
      order = 3,
      paramLabel = "V",
      description = "Verify version V too, and compare the rows of both.")
  @Nullable Long against;

  @Option(
      names = "--expect",
      order = 4,
      paramLabel = "DIGEST",
      description = "Compare the rows with a digest that an earlier run printed.")
  @Nullable String expect;

  @Option(
      names = "--parallel",
      order = 5,
      paramLabel = "SHARDS",
      description = "Shards at once (default: one per core).")
  int parallel = Runtime.getRuntime().availableProcessors();

  VerifyCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run(CheckpointStore store) {
    if (parallel < 1 || parallel > 1024) {
      throw StateStoreException.invalid("--parallel " + parallel + "; give 1 to 1024");
    }
    SetDigest expected = expect == null ? null : parseDigest(expect);
    List<Long> versions = new ArrayList<>();
    if (all) {
      versions.addAll(store.versions());
    } else {
      versions.add(manifest(store, version).version());
    }
    SetDigest reference = against == null ? null : verify(store, against).rows();
    boolean same = true;
    List<Long> damaged = new ArrayList<>();
    for (long v : versions) {
      SetDigest rows = all ? verifyOrNote(store, v, damaged) : verify(store, v).rows();
      if (rows != null) {
        same &= compare("version " + against, reference, v, rows);
        same &= compare("the digest given", expected, v, rows);
      }
    }
    if (!damaged.isEmpty()) {
      throw StateStoreException.corrupt(
          damaged.size()
              + " of "
              + versions.size()
              + " versions are damaged: "
              + Versions.list(damaged)
              + "; the messages above say how");
    }
    return same ? ExitCode.OK : ExitCode.MISMATCH;
  }

  /** Verifies one of several versions; one that is damaged is noted, and the others tried. */
  private @Nullable SetDigest verifyOrNote(CheckpointStore store, long v, List<Long> damaged) {
    try {
      return verify(store, v).rows();
    } catch (StateStoreException e) {
      Versions.noteDamage(console(), v, e);
      damaged.add(v);
      return null;
    }
  }

  private static SetDigest parseDigest(String text) {
    try {
      return SetDigest.parse(text);
    } catch (StateStoreException e) {
      throw StateStoreException.invalid("--expect: " + e.getMessage());
    }
  }

  private StoreVerifier.Report verify(CheckpointStore store, long v) {
    Manifest manifest = manifest(store, v);
    StoreVerifier.Report report = verify(console(), store, manifest, parallel);
    print(manifest, report, store.objects().metrics());
    return report;
  }

  /** Verifies a version with progress; Ctrl-C stops it. */
  static StoreVerifier.Report verify(
      Console console, CheckpointStore store, Manifest manifest, int parallel) {
    long[] done = new long[2];
    try (Progress progress = new Progress(console, "verify")) {
      return StoreVerifier.verify(
          store,
          manifest,
          parallel,
          shard -> {
            if (console.isCancelled()) {
              throw new InterruptedRunException("stopped");
            }
            done[0]++;
            done[1] += shard.bytes();
            progress.bytes(done[1], manifest.bytes(), Units.count(done[0]) + " shards");
          });
    } catch (RuntimeException e) {
      // What a listener throws may come back wrapped, because it is called by several threads.
      if (console.isCancelled()) {
        throw new InterruptedRunException(
            "stopped after " + done[0] + " of " + manifest.layout().shards() + " shards");
      }
      throw e;
    }
  }

  private void print(Manifest manifest, StoreVerifier.Report report, ObjectStoreMetrics requests) {
    long files = report.shards().stream().mapToLong(StoreVerifier.Shard::files).sum();
    long bytes = report.shards().stream().mapToLong(StoreVerifier.Shard::bytes).sum();
    if (json) {
      console()
          .printJson(
              out -> {
                out.writeNumberField("version", report.version());
                out.writeNumberField("shards", report.shards().size());
                out.writeNumberField("files", files);
                out.writeNumberField("bytes", bytes);
                out.writeNumberField("entries", manifest.entries());
                out.writeNumberField("rows", report.rows().count());
                out.writeStringField("digest", report.rows().toString());
                StorePlace.write(out, requests);
              });
      return;
    }
    console()
        .print(
            console().green("version " + report.version() + " is sound")
                + ": "
                + Units.count(report.rows().count())
                + " rows in "
                + Units.count(report.shards().size())
                + " shards, "
                + Units.bytes(bytes)
                + " in "
                + Units.count(files)
                + " files; digest of the rows "
                + report.rows());
  }

  private boolean compare(String what, @Nullable SetDigest wanted, long v, SetDigest rows) {
    if (wanted == null || wanted.equals(rows)) {
      if (wanted != null && !json) {
        console().print("version " + v + " has the same rows as " + what);
      }
      return true;
    }
    console()
        .say(
            "reshard: "
                + ExitCode.MISMATCH
                + ": the rows of version "
                + v
                + " are not those of "
                + what
                + ": expected "
                + wanted
                + ", found "
                + rows);
    return false;
  }
}
