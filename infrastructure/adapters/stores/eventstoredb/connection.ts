import { type Channel, type ClientDuplexStream, type ClientReadableStream, Metadata } from "@grpc/grpc-js"
import { EventStoreDBClient } from "@eventstore/db-client"
import grpc from "@eventstore/db-client/generated/streams_grpc_pb.js"
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { Buffer } from "node:buffer"
import { readFileSync } from "node:fs"
import type { ConnectionSettings } from "./connection-string.ts"
import { omitIpServerNames } from "./tls-server-name.ts"

/** Answers to a read, each an encoded `ReadResp`. A gRPC stream also ends when it fails, so its end means success only without a `failure`. */
export interface Reading {
  readonly answers: ClientReadableStream<Buffer>
  readonly failure: () => Error | undefined
}

/** Sends encoded `BatchAppendReq` and receives encoded `BatchAppendResp`. */
export type BatchCall = ClientDuplexStream<Buffer, Buffer>

type SingleNode = ConstructorParameters<typeof EventStoreDBClient>[0]

/**
 * The vendor's client, used to find the leader and to open and replace the channel to it. Calls go to the generated
 * service directly, because the client's own calls have two defects:
 *
 * - Its batch append keeps pending appends in one table for all connections of the process. An error on one call
 *   empties the table, and the next answer on any other call throws where no caller can catch it.
 * - It can't read `$all` through a filter, and delivers a checkpoint before the events that precede it.
 *
 * Every call requires the leader: a follower may not have the newest events yet.
 */
export class Connection extends EventStoreDBClient {
  #channel: Channel | undefined

  /** Throws when a certificate file can't be read. */
  constructor(settings: ConnectionSettings) {
    omitIpServerNames()
    super(clientSettings(settings), channelCredentials(settings), settings.credentials)
    const open = this.getChannel
    this.getChannel = async () => this.#channel = await open()
  }

  /** The server's version and features. */
  features() {
    return this.capabilities
  }

  /** The caller cancels the read. */
  async read(request: ReadReq): Promise<Reading> {
    let failure: Error | undefined
    const answers = await onOpenChannel(
      this.GRPCStreamCreator(
        grpc.StreamsClient,
        "read",
        (client) =>
          client.makeServerStreamRequest(
            "/event_store.client.streams.Streams/Read",
            serialize,
            unchanged,
            request,
            ...this.callArguments({ requiresLeader: true }, { deadline: Infinity })
          )
            .on("error", (error: Error) => {
              failure = error
            })
      )
    )
    return { answers, failure: () => failure }
  }

  /** One call for many appends; the caller cancels it. `listen` adds listeners before the call can emit anything. */
  batchAppend(listen: (call: BatchCall) => void): Promise<BatchCall> {
    return onOpenChannel(this.GRPCStreamCreator(grpc.StreamsClient, "batchAppend", (client) => {
      const call = client.makeBidiStreamRequest(
        "/event_store.client.streams.Streams/BatchAppend",
        unchanged,
        unchanged,
        ...this.callArguments({ requiresLeader: true }, { deadline: Infinity })
      )
      listen(withErrorListener(call))
      return call
    }))
  }

  /**
   * Closes the channel; callers cancel their calls first. The client's own `dispose` leaves the channel open, and never
   * returns when a call breaks at the wrong moment.
   */
  close(): void {
    this.#channel?.close()
  }
}

/**
 * Whether no server has handled a call: a follower refused it, because each call requires the leader, or the client left
 * the channel before the call began, for which gRPC has no code of its own. After a change of the leader, a call may meet both.
 */
export const isUnhandled = (cause: unknown): boolean =>
  cause instanceof Error
  && (cause.message.endsWith("Channel closed before call started")
    || ("metadata" in cause && cause.metadata instanceof Metadata
      && cause.metadata.get("exception")[0] === "not-leader"))

/** How often a call that no server has handled is made again. */
export const MOST_REPEATS = 3

/** Waits until the client has replaced the channel of such a call by one to the leader that the follower named. */
export const channelReplaced = (): Promise<void> => new Promise((resume) => setImmediate(resume))

const serialize = (request: ReadReq): Buffer => Buffer.from(request.serializeBinary())

/** The messages of the hot calls are encoded and decoded elsewhere. */
const unchanged = (message: Buffer): Buffer => message

/** A call on a channel that the client has just closed was not sent, so it is repeated on the next channel. */
const onOpenChannel = async <A>(call: () => Promise<A>): Promise<A> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Error && error.message === "Channel has been shut down") return call()
    throw error
  }
}

/** An error event without a listener would end the process. */
const withErrorListener = <Call extends { on(event: "error", listener: () => void): unknown }>(call: Call): Call => {
  call.on("error", () => {})
  return call
}

const clientSettings = ({ discover, hosts, options }: ConnectionSettings): SingleNode => {
  const numberOption = <Name extends string>(name: Name) => {
    const value = Number(options.get(name.toLowerCase()))
    return Number.isFinite(value) && options.has(name.toLowerCase()) ? { [name]: value } : {}
  }
  const common = {
    ...numberOption("keepAliveInterval"),
    ...numberOption("keepAliveTimeout"),
    ...(options.has("connectionname") ? { connectionName: options.get("connectionname") ?? "" } : {})
  }
  const discovery = {
    ...numberOption("gossipTimeout"),
    ...numberOption("discoveryInterval"),
    ...numberOption("maxDiscoverAttempts")
  }
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
