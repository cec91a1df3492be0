package io.reshard.checkpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that goes on when told to, and a millisecond at every look. */
final class ManualClock implements InstantSource {
  private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.incrementAndGet());
  }

  void advance(Duration duration) {
    millis.addAndGet(duration.toMillis());
  }
}
