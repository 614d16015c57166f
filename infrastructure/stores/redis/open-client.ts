import { Cluster, Redis } from "ioredis"
import type { RedisPlace } from "./redis-url.ts"
import { isClusterNode, parseInfo, whyUnfit } from "./server-info.ts"

export type Client = Redis | Cluster

export interface ClientOptions {
  /** How long a command may go without an answer. */
  readonly commandMillis: number
  /** How long it may take until a connection stands. */
  readonly connectMillis: number
  /** Certificate of the authority to trust for `rediss:`, in PEM, instead of those the runtime trusts. */
  readonly authority: string | undefined
}

/** A client that may not be connected yet; whoever makes it disconnects it. */
export interface Opening {
  readonly connect: () => Promise<Client>
  readonly disconnect: () => void
}

/**
 * Prepares a connection to a server or, when the server says that it belongs to one, to its whole Cluster. `connect`
 * rejects with what is wrong: refused, unreachable, too old, not writable. From then on a lost connection is opened
 * again for ever, and commands fail at once while there is none.
 */
export const openClient = (place: RedisPlace, options: ClientOptions): Opening => {
  const { database, host, port } = place
  let failure: Error | undefined
  let isOpen = false
  const first = listened(
    new Redis({
      ...common(place, options),
      host,
      port,
      db: database,
      lazyConnect: true,
      enableOfflineQueue: false,
      // What is in flight when the connection goes is given up then, and not after the time for an answer.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => isOpen ? backoff(times) : null,
      // The answer of a master that became a replica: the name leads to another server now.
      reconnectOnError: (error) => error.message.startsWith("READONLY")
    })
  )
  first.on("error", (error) => {
    failure ??= error
  })
  let cluster: Cluster | undefined

  const openCluster = async (): Promise<Cluster> => {
    first.disconnect()
    cluster = makeCluster(place, options)
    cluster.on("node error", (error: Error) => {
      failure ??= error
    })
    await cluster.connect()
    // Nodes are connected on the first command, and would refuse those that come before that is done.
    await Promise.all(cluster.nodes("master").map((node) => node.ping()))
    cluster.on("+node", connectSoon)
    return cluster
  }

  const connect = async (): Promise<Client> => {
    await first.connect()
    if (failure !== undefined) throw failure
    const info = parseInfo(await first.info())
    const unfit = whyUnfit(info, database)
    if (unfit !== undefined) throw new Error(unfit)
    isOpen = true
    return isClusterNode(info) ? openCluster() : first
  }

  return {
    connect: () => connect().catch((error) => Promise.reject(failure ?? error)),
    disconnect: () => {
      const all = [first, ...cluster?.nodes() ?? []]
      first.disconnect()
      cluster?.disconnect()
      // A goodbye waits for the server's, which never comes from one that hangs.
      for (const redis of all) redis.stream?.destroy()
    }
  }
}

const makeCluster = (place: RedisPlace, options: ClientOptions): Cluster =>
  listened(
    new Cluster([{ host: place.host, port: place.port }], {
      redisOptions: { ...common(place, options), maxRetriesPerRequest: 0 },
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: backoff,
      // A command whose connection broke is not sent to another node: its outcome is unknown, and the caller's matter.
      retryDelayOnFailover: 0,
      // Where slots are is learnt from the answer to a misdirected command. The timer would outlive a disconnect that
      // comes while a refresh is under way.
      slotsRefreshInterval: 0,
      slotsRefreshTimeout: options.connectMillis,
      // Names as they are: a certificate is for the name, not for the address.
      dnsLookup: (address, callback) => callback(null, address)
    })
  )

const common = ({ host, password, tls, username }: RedisPlace, options: ClientOptions) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  ...(tls ? { tls: { ...authorityOf(options), ...serverName(host) } } : {}),
  connectionName: "sliptrail",
  protocol: 2 as const,
  commandTimeout: options.commandMillis,
  connectTimeout: options.connectMillis,
  // A connection that died without a word: nothing arrives any more although answers are due.
  socketTimeout: 3 * options.commandMillis
})

const authorityOf = ({ authority }: ClientOptions) => authority === undefined ? {} : { ca: authority }

/** The nodes of a Cluster name themselves by address, unless they were told to announce a name. */
const serverName = (host: string) => /^[\d.]+$|:/u.test(host) ? {} : { servername: host }

const backoff = (times: number): number => Math.min(50 * 2 ** Math.min(times - 1, 10), 2_000)

/** An error event without a listener would end the process. */
const listened = <C extends Client>(client: C): C => {
  client.on("error", () => {})
  return client
}

const connectSoon = (node: Redis): void => {
  setImmediate(() => {
    if (node.status === "wait") node.connect().catch(() => {})
  })
}
