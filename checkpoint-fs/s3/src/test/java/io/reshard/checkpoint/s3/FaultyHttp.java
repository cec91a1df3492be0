package io.reshard.checkpoint.s3;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A network between a client and an HTTP server that breaks as networks and services do, in the
 * order a plan decides. Each request has a connection of its own.
 */
public final class FaultyHttp implements AutoCloseable {
  /** What becomes of a request. */
  public enum Fault {
    /** It is answered. */
    NONE,
    /** 500, and nothing was done. */
    INTERNAL_ERROR,
    /** 503 SlowDown, and nothing was done. */
    SLOW_DOWN,
    /** 409 ConditionalRequestConflict, and nothing was done; to PUT and POST only. */
    CONFLICT,
    /** 412 though there may be no object; to PUT and POST only. */
    FALSE_PRECONDITION,
    /** The connection is reset before anything was done. */
    RESET,
    /** It is done, and the connection reset before a byte of the answer is sent. */
    ANSWER_LOST,
    /** It is done, and the connection reset in the middle of the answer. */
    RESET_IN_ANSWER,
    /** It is done, and the answer ends, in good order, before its length says. */
    TRUNCATED,
    /** The answer comes in small pieces with pauses. */
    SLOW
  }

  /** Decides what becomes of a request. */
  public interface Plan {
    /**
     * Decides.
     *
     * @param number counts requests from 1
     * @param request its head: method, target and version, such as {@code PUT /bucket/key
     *     HTTP/1.1}, and a line for each header
     */
    Fault decide(long number, String request);
  }

  private static final int MAX_HEAD = 64 << 10;

  private final URI server;
  private final ServerSocket listener;
  private final AtomicLong requests = new AtomicLong();
  private volatile Plan plan;
  private volatile String dropped = "";
  private volatile String droppedFrom = "";
  private volatile boolean closed;

  private FaultyHttp(String server, Plan plan) throws IOException {
    this.server = URI.create(server);
    this.plan = plan;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread accepting = new Thread(this::accept, "faulty-http");
    accepting.setDaemon(true);
    accepting.start();
  }

  /** Puts itself before {@code server}, an URL without a path. */
  public static FaultyHttp before(String server, Plan plan) {
    try {
      return new FaultyHttp(server, plan);
    } catch (IOException e) {
      throw new IllegalStateException("cannot listen", e);
    }
  }

  /** A plan in which so many of 1,000 requests meet a fault, which ones a seed decides. */
  public static Plan random(long seed, int permille) {
    Random random = new Random(seed);
    Fault[] faults = Fault.values();
    return (number, request) -> {
      synchronized (random) {
        boolean fault = random.nextInt(1000) < permille;
        Fault which = faults[1 + random.nextInt(faults.length - 1)];
        return fault ? which : Fault.NONE;
      }
    };
  }

  /** From now on this plan holds. */
  public void plan(Plan next) {
    plan = next;
  }

  /** From now on requests arrive without a header. */
  public void dropHeader(String name) {
    dropHeader(name, "");
  }

  /** From now on requests of a method arrive without a header. */
  public void dropHeader(String name, String method) {
    droppedFrom = method;
    dropped = name.toLowerCase(Locale.ROOT) + ":";
  }

  /** Where a client is to send its requests. */
  public String endpoint() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  /** Requests so far. */
  public long requests() {
    return requests.get();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = listener.accept();
        Thread serving = new Thread(() -> serve(client), "faulty-http-request");
        serving.setDaemon(true);
        serving.start();
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setTcpNoDelay(true);
      String head = readHead(client.getInputStream());
      if (head.isEmpty()) {
        return;
      }
      String lower = head.toLowerCase(Locale.ROOT);
      if (lower.contains("\r\nexpect: 100-continue")) {
        client.getOutputStream().write(ascii("HTTP/1.1 100 Continue\r\n\r\n"));
        client.getOutputStream().flush();
      }
      byte[] body = client.getInputStream().readNBytes(contentLength(lower));
      Fault fault = plan.decide(requests.incrementAndGet(), head);
      boolean creates = head.startsWith("PUT") || head.startsWith("POST");
      if (!creates && (fault == Fault.CONFLICT || fault == Fault.FALSE_PRECONDITION)) {
        fault = Fault.SLOW_DOWN;
      }
      answer(client, head, body, fault);
    } catch (IOException e) {
      // The client is gone, or the server: the client will see.
    }
  }

  private void answer(Socket client, String head, byte[] body, Fault fault) throws IOException {
    switch (fault) {
      case INTERNAL_ERROR -> error(client, 500, "InternalError");
      case SLOW_DOWN -> error(client, 503, "SlowDown");
      case CONFLICT -> error(client, 409, "ConditionalRequestConflict");
      case FALSE_PRECONDITION -> error(client, 412, "PreconditionFailed");
      case RESET -> client.setSoLinger(true, 0);
      case NONE -> client.getOutputStream().write(forward(head, body));
      case ANSWER_LOST -> {
        forward(head, body);
        client.setSoLinger(true, 0);
      }
      case RESET_IN_ANSWER -> {
        byte[] answer = forward(head, body);
        client.getOutputStream().write(answer, 0, answer.length * 3 / 4);
        client.getOutputStream().flush();
        client.setSoLinger(true, 0);
      }
      case TRUNCATED -> {
        byte[] answer = forward(head, body);
        client.getOutputStream().write(answer, 0, answer.length - Math.min(7, answer.length / 2));
      }
      case SLOW -> slowly(client.getOutputStream(), forward(head, body));
    }
  }

  private static void slowly(OutputStream out, byte[] answer) throws IOException {
    for (int piece = 0; piece < 10; piece++) {
      int from = (int) ((long) answer.length * piece / 10);
      int to = (int) ((long) answer.length * (piece + 1) / 10);
      out.write(answer, from, to - from);
      out.flush();
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
  }

  private static void error(Socket client, int status, String code) throws IOException {
    String body =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>"
            + code
            + "</Code><Message>injected</Message></Error>";
    client
        .getOutputStream()
        .write(
            ascii(
                "HTTP/1.1 "
                    + status
                    + " Injected\r\nContent-Type: application/xml\r\nConnection: close\r\n"
                    + "Content-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body));
  }

  private byte[] forward(String head, byte[] body) throws IOException {
    StringBuilder passed = new StringBuilder();
    for (String line : head.split("\r\n", -1)) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (!line.isEmpty()
          && !lower.startsWith("expect:")
          && !lower.startsWith("connection:")
          && (dropped.isEmpty() || !head.startsWith(droppedFrom) || !lower.startsWith(dropped))) {
        passed.append(line).append("\r\n");
      }
    }
    passed.append("Connection: close\r\n\r\n");
    try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
      upstream.setTcpNoDelay(true);
      upstream.getOutputStream().write(ascii(passed.toString()));
      upstream.getOutputStream().write(body);
      upstream.getOutputStream().flush();
      return upstream.getInputStream().readAllBytes();
    }
  }

  /** Everything up to the empty line; empty if there is nothing. */
  private static String readHead(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    byte[] end = ascii("\r\n\r\n");
    while (matched < end.length) {
      int b = in.read();
      if (b < 0) {
        if (head.size() == 0) {
          return "";
        }
        throw new EOFException("in the middle of a head");
      }
      if (head.size() == MAX_HEAD) {
        throw new IOException("head too long");
      }
      head.write(b);
      matched = b == end[matched] ? matched + 1 : b == '\r' ? 1 : 0;
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static int contentLength(String lowerHead) {
    return Arrays.stream(lowerHead.split("\r\n", -1))
        .filter(line -> line.startsWith("content-length:"))
        .mapToInt(line -> Integer.parseInt(line.substring("content-length:".length()).strip()))
        .findFirst()
        .orElse(0);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException e) {
      throw new IllegalStateException("cannot stop listening", e);
    }
  }
}
