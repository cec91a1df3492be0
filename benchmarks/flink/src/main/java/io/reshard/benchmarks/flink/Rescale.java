package io.reshard.benchmarks.flink;

import io.reshard.benchmarks.shared.Rows;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.Collector;

/**
 * The job: one value for each key in RocksDB. A source names every row once and then idles. The
 * operator stores the value of a row it has none for, and compares one it has.
 *
 * <p>Everything runs in this process, so what the operators see is kept in static fields.
 */
final class Rescale {
  /** The only operator with state. */
  private static final String UID = "rows";

  private static final Map<Integer, Long> OPENED = new ConcurrentHashMap<>();
  private static final Map<Integer, Long> READ = new ConcurrentHashMap<>();
  private static final AtomicLong STORED = new AtomicLong();
  private static final AtomicLong FOUND = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();

  private Rescale() {}

  /** Forgets what was seen. */
  static void reset() {
    OPENED.clear();
    READ.clear();
    STORED.set(0);
    FOUND.set(0);
    WRONG.set(0);
  }

  /** Rows of which the operator has been told. */
  static long seen() {
    return STORED.get() + FOUND.get() + WRONG.get();
  }

  /** Rows that were there and right. */
  static long found() {
    return FOUND.get();
  }

  /** Subtasks that have restored their state and been opened. */
  static int opened() {
    return OPENED.size();
  }

  /** When the last subtask was opened, by {@link System#nanoTime}. */
  static long lastOpened() {
    return OPENED.values().stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  /** Subtasks that have read a row they restored. */
  static int readers() {
    return READ.size();
  }

  /** When the last subtask had read a row, by {@link System#nanoTime}. */
  static long lastRead() {
    return READ.values().stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  static StreamGraph graph(
      Configuration configuration, int parallelism, int maxParallelism, long rows, int valueBytes) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    environment.setMaxParallelism(maxParallelism);
    environment
        .addSource(new Numbers(rows), "numbers", Types.LONG)
        .setParallelism(1)
        .keyBy(
            row -> key(new Rows(Rows.SEED, 0).key(row)),
            Types.TUPLE(Types.LONG, Types.LONG, Types.STRING))
        .process(new Keep(valueBytes), Types.LONG)
        .uid(UID)
        .sinkTo(new DiscardingSink<>());
    return environment.getStreamGraph();
  }

  /** The bytes of a key as types that Flink has keys of, in as many bytes. */
  private static Tuple3<Long, Long, String> key(byte[] key) {
    return Tuple3.of(number(key, 0), number(key, 8), "k".repeat(key.length - 16));
  }

  private static long number(byte[] bytes, int at) {
    long number = 0;
    for (int i = 0; i < 8; i++) {
      number = number << 8 | (bytes[at + i] & 0xff);
    }
    return number;
  }

  /** Numbers of rows, once each. */
  private static final class Numbers implements SourceFunction<Long> {
    private static final long serialVersionUID = 1;

    private final long rows;
    private volatile boolean cancelled;

    Numbers(long rows) {
      this.rows = rows;
    }

    @Override
    public void run(SourceContext<Long> context) throws InterruptedException {
      for (long row = 0; row < rows && !cancelled; row++) {
        synchronized (context.getCheckpointLock()) {
          context.collect(row);
        }
      }
      while (!cancelled) {
        Thread.sleep(10);
      }
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  /** Keeps the value of each row. */
  private static final class Keep
      extends KeyedProcessFunction<Tuple3<Long, Long, String>, Long, Long> {
    private static final long serialVersionUID = 1;

    private final int valueBytes;
    private transient Rows rows;
    private transient ValueState<byte[]> state;
    private transient int subtask;

    Keep(int valueBytes) {
      this.valueBytes = valueBytes;
    }

    @Override
    public void open(OpenContext context) {
      rows = new Rows(Rows.SEED, valueBytes);
      state =
          getRuntimeContext()
              .getState(
                  new ValueStateDescriptor<>(
                      "value", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
      subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
      OPENED.put(subtask, System.nanoTime());
    }

    @Override
    public void processElement(Long row, Context context, Collector<Long> out) throws Exception {
      byte[] found = state.value();
      if (found == null) {
        state.update(rows.value(row));
        STORED.incrementAndGet();
        return;
      }
      READ.computeIfAbsent(subtask, first -> System.nanoTime());
      (Arrays.equals(found, rows.value(row)) ? FOUND : WRONG).incrementAndGet();
    }
  }
}
