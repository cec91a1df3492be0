package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.StoreOptions;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/**
 * An S3 server in this JVM, started once, with its objects in memory. With {@code
 * -Dreshard.s3.endpoint=URL -Dreshard.s3.bucket=NAME} tests run against that one instead, with
 * credentials from where the AWS SDK looks; what the tests leave there lies below {@code
 * reshard-tests/}.
 */
public final class S3Server {
  /** What the server in this JVM wants to be told; nobody may ever print it. */
  public static final String SECRET = "s3cr3t-Of-The-Tests-" + UUID.randomUUID();

  /** Who the tests are to the server in this JVM. */
  public static final String IDENTITY = "AKIATESTIDENTITY0000";

  private static final String BUCKET = "reshard-tests";
  private static S3Server instance;

  private final String endpoint;
  private final String bucket;
  private final boolean foreign;

  private S3Server(S3Proxy proxy, String bucket, boolean foreign) {
    this(endpoint(proxy), bucket, foreign);
  }

  private S3Server(String endpoint, String bucket, boolean foreign) {
    this.endpoint = endpoint;
    this.bucket = bucket;
    this.foreign = foreign;
  }

  /** The one server of this JVM. */
  public static synchronized S3Server get() {
    if (instance == null) {
      String endpoint = System.getProperty("reshard.s3.endpoint", "");
      instance =
          endpoint.isEmpty()
              ? start()
              : new S3Server(endpoint, System.getProperty("reshard.s3.bucket", BUCKET), true);
    }
    return instance;
  }

  private static S3Server start() {
    System.setProperty("aws.accessKeyId", IDENTITY);
    System.setProperty("aws.secretAccessKey", SECRET);
    return new S3Server(
        start(0, builder -> builder.awsAuthentication(AuthenticationType.AWS_V4, IDENTITY, SECRET)),
        BUCKET,
        false);
  }

  /** Starts a server with its objects in memory, and makes the bucket. */
  private static S3Proxy start(int port, UnaryOperator<S3Proxy.Builder> more) {
    try {
      S3Proxy proxy =
          more.apply(
                  S3Proxy.builder()
                      .blobStore(new TransientNio2BlobStore())
                      .endpoint(URI.create("http://127.0.0.1:" + port))
                      .ignoreUnknownHeaders(true))
              .build();
      proxy.start();
      StoreOptions options = StoreOptions.of(Map.of("s3.endpoint", endpoint(proxy)));
      try (var client = S3Clients.open(S3Options.of(options), new RequestCounter())) {
        client.createBucket(request -> request.bucket(BUCKET));
      }
      return proxy;
    } catch (Exception e) {
      throw new IllegalStateException("the S3 server for tests did not start", e);
    }
  }

  private static String endpoint(S3Proxy proxy) {
    return "http://127.0.0.1:" + proxy.getPort();
  }

  /** Serves until it is stopped, to try things out: port, then key and secret it wants. */
  public static void main(String[] args) throws InterruptedException {
    System.setProperty("aws.accessKeyId", args[1]);
    System.setProperty("aws.secretAccessKey", args[2]);
    S3Proxy proxy =
        start(
            Integer.parseInt(args[0]),
            builder -> builder.awsAuthentication(AuthenticationType.AWS_V4, args[1], args[2]));
    System.out.println(
        "S3 in memory at " + endpoint(proxy) + ", bucket " + BUCKET + "; stop it with Ctrl-C");
    Thread.currentThread().join();
  }

  /** A server of its own that looks at no signature, so that requests may be changed on the way. */
  public static Unsigned unsigned() {
    get(); // Which says who we are.
    S3Proxy proxy = start(0, builder -> builder);
    return new Unsigned(proxy, endpoint(proxy));
  }

  /**
   * A server that looks at no signature; it has the bucket of the common one.
   *
   * @param endpoint where requests go
   */
  public record Unsigned(S3Proxy proxy, String endpoint) implements AutoCloseable {
    @Override
    public void close() {
      try {
        proxy.stop();
      } catch (Exception e) {
        throw new IllegalStateException("the S3 server for tests did not stop", e);
      }
    }
  }

  /** Whether it is one that was named, and not the one in this JVM. */
  public boolean isForeign() {
    return foreign;
  }

  /** Where requests go. */
  public String endpoint() {
    return endpoint;
  }

  /** The bucket. */
  public String bucket() {
    return bucket;
  }

  /** A location nobody else has. */
  public String newLocation() {
    return "s3://" + bucket + "/reshard-tests/" + UUID.randomUUID();
  }

  /** Options that lead to this server, with more of them. */
  public StoreOptions options(Map<String, String> more) {
    Map<String, String> options = new HashMap<>();
    options.put("s3.endpoint", endpoint);
    options.put("s3.path-style", "true");
    options.putAll(more);
    return StoreOptions.of(options);
  }
}
