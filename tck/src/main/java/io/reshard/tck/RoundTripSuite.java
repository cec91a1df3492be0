package io.reshard.tck;

import static io.reshard.tck.Fixture.COLUMN_FAMILIES;
import static io.reshard.tck.Fixture.ONE;
import static io.reshard.tck.Fixture.TWO;
import static io.reshard.tck.Rows.bytes;

import io.reshard.checkpoint.Layout;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The whole way: a keyed store on the backend is filled, committed, repartitioned and restored, in
 * both layouts, with a HASHED and an ORDERED column family.
 */
interface RoundTripSuite extends Suite {
  private RoundTrip start(Layout layout) {
    return new RoundTrip(fixture(), layout, COLUMN_FAMILIES);
  }

  /** Rows of every kind that has ever been lost: see the comments. */
  private static void fill(RoundTrip trip, RandomGenerator random, int rows) {
    for (String columnFamily : List.of(ONE, TWO)) {
      // Keys that are prefixes of one another, the empty one among them.
      for (int i = 0; i < 30; i++) {
        trip.put(columnFamily, new byte[i], bytes(i));
        trip.put(columnFamily, bytes("a".repeat(i), 0xff, i), bytes());
      }
      // Every byte value, in front and behind.
      for (int i = 0; i < 256; i++) {
        trip.put(columnFamily, bytes(i), bytes(255 - i));
        trip.put(columnFamily, bytes(7, 0xff, i), bytes(i, i));
      }
      for (int i = 0; i < rows; i++) {
        trip.put(
            columnFamily,
            Rows.random(random, 4 + random.nextInt(20)),
            Rows.random(random, random.nextInt(60)));
      }
      trip.put(columnFamily, bytes("empty value"), bytes());
      trip.put(columnFamily, bytes("1 MiB"), Rows.random(random, 1 << 20));
      trip.put(columnFamily, Rows.random(random, 100_000), bytes("of a giant key"));
    }
  }

  /** Overwrites and deletes, so that the files hold more than the rows. */
  private static void change(RoundTrip trip, RandomGenerator random) {
    for (String columnFamily : List.of(ONE, TWO)) {
      for (int i = 0; i < 200; i++) {
        trip.put(columnFamily, bytes(i), Rows.random(random, 10));
        trip.delete(columnFamily, bytes(7, 0xff, i));
      }
      trip.delete(columnFamily, bytes("1 MiB"));
      trip.put(columnFamily, bytes("1 MiB"), Rows.random(random, 5));
    }
  }

  private void through(Layout layout, int rows, boolean changing, int... counts) {
    fixture()
        .seeded(
            () -> {
              RandomGenerator random = fixture().random(80);
              try (RoundTrip trip = start(layout)) {
                fill(trip, random, rows);
                trip.commit();
                trip.compare("after the first commit");
                for (int count : counts) {
                  if (changing) {
                    change(trip, random);
                    trip.commit();
                  }
                  trip.rollBack(ONE, bytes("rolled back"), bytes("x"));
                  trip.repartition(count);
                }
              }
            });
  }

  @Test
  default void required_S251_slots_200_to_100_to_400() {
    through(Layout.slots(200), 3000, false, 100, 400);
  }

  @Test
  default void required_S251_modulo_200_to_100_to_400() {
    through(Layout.modulo(200), 3000, false, 100, 400);
  }

  @Test
  default void required_S251_slots_to_counts_that_share_no_divisor() {
    through(Layout.slots(20), 2000, true, 7, 13, 10);
  }

  @Test
  default void required_S251_modulo_to_counts_that_share_no_divisor() {
    through(Layout.modulo(20), 2000, true, 7, 13, 10);
  }

  @Test
  default void required_S251_slots_1_to_many_to_1() {
    through(Layout.slots(1), 2000, true, 24, 1);
  }

  @Test
  default void required_S251_modulo_1_to_many_to_1() {
    through(Layout.modulo(1), 2000, true, 24, 1);
  }

  @Test
  default void required_S251_a_large_round_trip_400_to_7_to_13_to_200() {
    fixture().requiresLarge();
    through(Layout.slots(400), 50_000, true, 7, 13, 200);
    through(Layout.modulo(400), 50_000, true, 7, 13, 200);
  }

  @Test
  default void required_S251_a_store_without_rows() {
    for (Layout layout : List.of(Layout.slots(8), Layout.modulo(8))) {
      try (RoundTrip trip = start(layout)) {
        trip.commit();
        trip.repartition(4);
        trip.put(ONE, bytes("first"), bytes("row"));
        trip.commit();
        trip.repartition(16);
        trip.delete(ONE, bytes("first"));
        trip.commit();
        trip.repartition(3);
      }
    }
  }

  @Test
  default void required_S251_most_shards_without_rows() {
    for (Layout layout : List.of(Layout.slots(32), Layout.modulo(32))) {
      try (RoundTrip trip = start(layout)) {
        for (int i = 0; i < 5; i++) {
          trip.put(ONE, bytes("k" + i), bytes("v" + i));
          trip.put(TWO, bytes("k" + i), bytes("v" + i));
        }
        trip.commit();
        trip.repartition(16);
        trip.repartition(64);
        trip.repartition(5);
      }
    }
  }

  @Test
  default void required_S251_one_partition_key_with_nearly_all_rows() {
    List<ColumnFamily> columnFamilies =
        List.of(
            ColumnFamily.hashed(ONE).withPartitionKey(PartitionKey.first(4)),
            ColumnFamily.ordered(TWO).withPartitionKey(PartitionKey.skip(8)));
    for (Layout layout : List.of(Layout.slots(12), Layout.modulo(12))) {
      try (RoundTrip trip = new RoundTrip(fixture(), layout, columnFamilies)) {
        for (int i = 0; i < 3000; i++) {
          String user = i % 50 == 0 ? String.format("%04d", i) : "GIANT".substring(1);
          byte[] time = ByteBuffer.allocate(8).putLong(i).array();
          trip.put(ONE, bytes(user + "/" + i), bytes("value " + i));
          trip.put(TWO, concat(time, bytes(user)), bytes("timer " + i));
        }
        trip.commit();
        trip.repartition(6);
        trip.repartition(18);
      }
    }
  }

  private static byte[] concat(byte[] front, byte[] back) {
    return ByteBuffer.allocate(front.length + back.length).put(front).put(back).array();
  }

  @Test
  default void required_S251_from_this_backend_to_another_and_back() {
    for (Layout layout : List.of(Layout.slots(6), Layout.modulo(6))) {
      fixture()
          .seeded(
              () -> {
                RandomGenerator random = fixture().random(81);
                try (RoundTrip trip = start(layout)) {
                  fill(trip, random, 500);
                  trip.commit();
                  change(trip, random);
                  trip.commit();
                  trip.restoreIn(new ReferenceModel());
                  change(trip, random);
                  trip.put(TWO, bytes("written by the other"), bytes("x"));
                  trip.commit();
                  trip.repartition(4);
                  change(trip, random);
                  trip.commit();
                  trip.verify();
                  trip.restoreIn(new ReferenceModel());
                  trip.repartition(8);
                }
              });
    }
  }

  @Test
  default void required_S251_a_million_rows_in_two_column_families() {
    fixture().requiresLarge();
    for (Layout layout : List.of(Layout.slots(200), Layout.modulo(200))) {
      fixture()
          .seeded(
              () -> {
                RandomGenerator random = fixture().random(82);
                try (RoundTrip trip = start(layout)) {
                  for (int i = 0; i < 500_000; i++) {
                    byte[] key = Rows.random(random, 16);
                    trip.put(ONE, key, Rows.random(random, 20 + random.nextInt(40)));
                    trip.put(TWO, key, Rows.random(random, 20 + random.nextInt(40)));
                    if (i % 250_000 == 0) {
                      trip.commit();
                    }
                  }
                  trip.commit();
                  trip.repartition(100);
                  trip.repartition(400);
                }
              });
    }
  }
}
