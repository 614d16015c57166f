import { Cluster, Redis } from "ioredis"
import type { RedisAddress } from "./redis-url.ts"

export type Client = Redis | Cluster

export interface ClientOptions {
  /** How long a command may wait for its answer. */
  readonly commandMillis: number
  /** How long connecting may take. */
  readonly connectMillis: number
  /** Certificate of the authority to trust for `rediss:`, in PEM, instead of those the runtime trusts. */
  readonly authority: string | undefined
}

/** A client that may not be connected yet. The caller disconnects it. */
export interface Opening {
  readonly connect: () => Promise<Client>
  readonly disconnect: () => void
}

/**
 * Prepares a connection to a server, or to its whole Cluster when the server belongs to one. `connect` rejects when the
 * server refuses the user, is unreachable, too old or not writable. After that, the client reopens a lost connection
 * without a limit. While there is no connection, commands fail at once.
 */
export const openClient = (address: RedisAddress, options: ClientOptions): Opening => {
  const { database, host, port } = address
  let failure: Error | undefined
  let isOpen = false
  const first = withErrorListener(
    new Redis({
      ...common(address, options),
      host,
      port,
      db: database,
      lazyConnect: true,
      enableOfflineQueue: false,
      // A command in flight fails when the connection is lost, and not after its timeout.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => isOpen ? backoff(times) : null,
      // After a failover the server is a replica, and the host name resolves to another server.
      reconnectOnError: (error) => error.message.startsWith("READONLY")
    })
  )
  first.on("error", (error) => {
    failure ??= error
  })
  let cluster: Cluster | undefined

  const openCluster = async (): Promise<Cluster> => {
    first.disconnect()
    cluster = makeCluster(address, options)
    cluster.on("node error", (error: Error) => {
      failure ??= error
    })
    await cluster.connect()
    // A node connects on its first command, and refuses further commands until then.
    await Promise.all(cluster.nodes("master").map((node) => node.ping()))
    cluster.on("+node", connectSoon)
    return cluster
  }

  const connect = async (): Promise<Client> => {
    await first.connect()
    if (failure !== undefined) throw failure
    const info = parseInfo(await first.info())
    const refusal = refusalOf(info, database)
    if (refusal !== undefined) throw new Error(refusal)
    isOpen = true
    return isClusterNode(info) ? openCluster() : first
  }

  return {
    connect: () => connect().catch((error) => Promise.reject(failure ?? error)),
    disconnect: () => {
      const all = [first, ...cluster?.nodes() ?? []]
      first.disconnect()
      cluster?.disconnect()
      // A graceful close waits for an answer, which a hanging server never sends.
      for (const redis of all) redis.stream?.destroy()
    }
  }
}

const makeCluster = (address: RedisAddress, options: ClientOptions): Cluster =>
  withErrorListener(
    new Cluster([{ host: address.host, port: address.port }], {
      redisOptions: { ...common(address, options), maxRetriesPerRequest: 0 },
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: backoff,
      // A command whose connection broke is not sent to another node: its outcome is unknown, and the caller decides.
      retryDelayOnFailover: 0,
      // No refresh is needed: the answer to a misdirected command names the node. The timer would outlive a disconnect.
      slotsRefreshInterval: 0,
      slotsRefreshTimeout: options.connectMillis,
      // No lookup: a certificate is for the name, not for the address.
      dnsLookup: (host, callback) => callback(null, host)
    })
  )

const common = ({ host, password, tls, username }: RedisAddress, options: ClientOptions) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  ...(tls ? { tls: { ...authorityOf(options), ...serverName(host) } } : {}),
  connectionName: "sliptrail",
  protocol: 2 as const,
  commandTimeout: options.commandMillis,
  connectTimeout: options.connectMillis,
  // Detects a connection that receives nothing although answers are due.
  socketTimeout: 3 * options.commandMillis
})

const authorityOf = ({ authority }: ClientOptions) => authority === undefined ? {} : { ca: authority }

/** The nodes of a Cluster announce their address, unless they are configured to announce a name. */
const serverName = (host: string) => /^[\d.]+$|:/u.test(host) ? {} : { servername: host }

const backoff = (times: number): number => Math.min(50 * 2 ** Math.min(times - 1, 10), 500)

/** An error event without a listener would end the process. */
const withErrorListener = <C extends Client>(client: C): C => {
  client.on("error", () => {})
  return client
}

const connectSoon = (node: Redis): void => {
  setImmediate(() => {
    if (node.status === "wait") node.connect().catch(() => {})
  })
}

/** Fields of the answer to `INFO`. */
export type InfoFields = ReadonlyMap<string, string>

export const parseInfo = (text: string): InfoFields =>
  new Map(
    text.split("\r\n").filter((line) => !line.startsWith("#") && line.includes(":")).map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1)]
    })
  )

export const isClusterNode = (info: InfoFields): boolean => info.get("redis_mode") === "cluster"

/** The policy by which a full server deletes keys; undefined when it deletes none, or does not report it. */
export const evictionPolicyOf = (info: InfoFields): string | undefined => {
  const policy = info.get("maxmemory_policy")
  return policy === "noeviction" ? undefined : policy
}

/** Why a server cannot be used; undefined when it can. */
export const refusalOf = (info: InfoFields, database: number): string | undefined => {
  const version = info.get("redis_version") ?? "unknown"
  if (!(Number.parseInt(version) >= OLDEST)) {
    return `its version is ${version}, and ${OLDEST}.0 is the oldest that is supported`
  }
  if (isClusterNode(info)) {
    return database === 0 ? undefined : `a Redis Cluster has no database ${database}: leave it out of REDIS_URL`
  }
  if (info.get("redis_mode") === "sentinel") return "it is a Sentinel, which holds no data: name the server itself"
  if (info.get("role") === "slave") return "it is a replica, which can't be written: name the master"
  return undefined
}

/** Since 7.0 Redis replicates the effects of a script, so a script may read before it writes. */
const OLDEST = 7
