import type { Channel, ClientDuplexStream, ClientReadableStream } from "@grpc/grpc-js"
import { EventStoreDBClient } from "@eventstore/db-client"
import grpc from "@eventstore/db-client/generated/streams_grpc_pb.js"
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp
} from "@eventstore/db-client/generated/streams_pb.js"
import { readFileSync } from "node:fs"
import type { ConnectionSettings } from "./connection-string.ts"

/** Answers to a read. A stream of gRPC that fails also ends: what looks like the end is one only without a failure. */
export interface Reading {
  readonly answers: ClientReadableStream<ReadResp>
  readonly failure: () => Error | undefined
}

export type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>

type SingleNode = ConstructorParameters<typeof EventStoreDBClient>[0]

/**
 * The vendor's client as far as it finds the leader, opens a channel to it and opens another one when that is lost.
 * Calls are made on the generated service itself. The client's own calls are not used, because
 *
 * - its batch append keeps what is pending in one table for all connections of the process. An error on one call
 *   empties it, and the next answer on any other call then finds nothing and throws where nobody can catch it;
 * - it can't read `$all` through a filter, and hands out a checkpoint before the events in front of it.
 *
 * Every call asks for the leader: a follower would not yet show what has just been appended.
 */
export class Connection extends EventStoreDBClient {
  #channel: Channel | undefined

  /** Throws when a certificate file can't be read. */
  constructor(settings: ConnectionSettings) {
    super(clientSettings(settings), channelCredentials(settings), settings.credentials)
    const open = this.getChannel
    this.getChannel = async () => this.#channel = await open()
  }

  /** Version and abilities, as the server tells them. */
  features() {
    return this.capabilities
  }

  async offersBatchAppend(): Promise<boolean> {
    return this.supports(grpc.StreamsService.batchAppend)
  }

  /** The caller cancels it. */
  async read(request: ReadReq): Promise<Reading> {
    let failure: Error | undefined
    const answers = await onOpenChannel(
      this.GRPCStreamCreator(
        grpc.StreamsClient,
        "read",
        (client) =>
          client.read(request, ...this.callArguments({ requiresLeader: true }, { deadline: Infinity }))
            .on("error", (error: Error) => {
              failure = error
            })
      )
    )
    return { answers, failure: () => failure }
  }

  /** One call for many appends; the caller cancels it. `listen` adds its listeners before anything can happen to it. */
  batchAppend(listen: (call: BatchCall) => void): Promise<BatchCall> {
    return onOpenChannel(this.GRPCStreamCreator(grpc.StreamsClient, "batchAppend", (client) => {
      const call = client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Infinity }))
      listen(listened(call))
      return call
    }))
  }

  /** One append in a call of its own; the first request is its options, the others are its events. */
  append(requests: ReadonlyArray<AppendReq>, deadlineMillis: number): Promise<AppendResp> {
    return onOpenChannel(() =>
      this.execute(grpc.StreamsClient, "append", (client) =>
        new Promise<AppendResp>((resolve, reject) => {
          const [metadata, options] = this.callArguments({ requiresLeader: true, deadline: deadlineMillis })
          const call = listened(client.append(metadata, options, (error, response) => {
            if (error === null) resolve(response)
            else reject(error)
          }))
          for (const request of requests) call.write(request)
          call.end()
        }))
    )
  }

  /**
   * Closes the channel, once those who opened calls have cancelled them. The client's own `dispose` leaves it open, and
   * waits for ever for a call that broke off at the wrong moment.
   */
  close(): void {
    this.#channel?.close()
  }
}

/**
 * A call that meets the moment in which the client lets go of a lost channel was not sent, and is made again on the
 * next channel.
 */
const onOpenChannel = async <A>(call: () => Promise<A>): Promise<A> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Error && error.message === "Channel has been shut down") return call()
    throw error
  }
}

/** An error that arrives when nobody listens any more would end the process. */
const listened = <Call extends { on(event: "error", listener: () => void): unknown }>(call: Call): Call => {
  call.on("error", () => {})
  return call
}

const clientSettings = ({ discover, hosts, options }: ConnectionSettings): SingleNode => {
  const given = <Name extends string>(name: Name) => {
    const value = Number(options.get(name.toLowerCase()))
    return Number.isFinite(value) && options.has(name.toLowerCase()) ? { [name]: value } : {}
  }
  const common = {
    ...given("keepAliveInterval"),
    ...given("keepAliveTimeout"),
    ...(options.has("connectionname") ? { connectionName: options.get("connectionname") ?? "" } : {})
  }
  const discovery = { ...given("gossipTimeout"), ...given("discoveryInterval"), ...given("maxDiscoverAttempts") }
  const settings = discover
    ? { ...common, ...discovery, discover: hosts[0] }
    : hosts.length > 1
    ? { ...common, ...discovery, endpoints: [...hosts] }
    : { ...common, endpoint: hosts[0] }
  return settings as SingleNode
}

const channelCredentials = ({ options, tls }: ConnectionSettings) => {
  const file = (option: string) => {
    const path = options.get(option)
    return path === undefined || !tls ? undefined : readFileSync(path)
  }
  const [root, key, certificate] = [file("tlscafile"), file("userkeyfile"), file("usercertfile")]
  return {
    insecure: !tls,
    ...(root === undefined ? {} : { rootCertificate: root }),
    ...(key === undefined ? {} : { userKeyFile: key }),
    ...(certificate === undefined ? {} : { userCertFile: certificate })
  }
}
