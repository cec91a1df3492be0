package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.Fuzzer.Mutation;
import io.reshard.sst.Fuzzer.Outcome;
import io.reshard.sst.Fuzzer.Report;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** A part of what {@link Fuzzer} can do, as much as fits every build. */
class FuzzTest {
  private static final int INPUTS = 20_000;

  @TempDir Path directory;

  @Test
  void harmedFilesGiveTheRightRowsOrAnError() throws RocksDBException, IOException {
    Fuzzer fuzzer = new Fuzzer(Fuzzer.samples(directory));
    Report report = fuzzer.run(Entry.seed(), 0, INPUTS);
    assertThat(report.inputs()).isEqualTo(INPUTS);
    // Each kind of mutation must get to each outcome, or it tests less than it seems to.
    for (Mutation mutation : Mutation.values()) {
      for (Outcome outcome : Outcome.values()) {
        if (mutation != Mutation.HARM || outcome != Outcome.OTHER_ROWS) {
          assertThat(report.count(mutation, outcome))
              .as("%s, %s of %s", mutation, outcome, report)
              .isPositive();
        }
      }
    }
  }
}
