import featuresService from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js"
import streamsService from "@eventstore/db-client/generated/streams_grpc_pb.js"
import { type sendUnaryData, Server, ServerCredentials, status } from "@grpc/grpc-js"
import { makeBatchAppend } from "./batch-append.ts"
import { makeDelete, makeTombstone } from "./delete.ts"
import { type LogFaults, noFaults } from "./faults.ts"
import { makeFeatures } from "./features.ts"
import { makeServerLog, type ServerLog } from "./log.ts"
import { makeRead } from "./read.ts"
import { refusal } from "./refusal.ts"
import { type Certificate, openWire } from "./wire.ts"

export interface ServerOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** The file of the log. Without it, the log is only in memory. */
  readonly file?: string | undefined
  readonly version?: string | undefined
  /** Both in PEM. Without them the server has no TLS. */
  readonly tls?: Certificate | undefined
  /** `name:password` of the only user with access. Without it every client has access. */
  readonly user?: string | undefined
}

export interface TestServer {
  readonly port: number
  readonly log: ServerLog
  readonly faultState: LogFaults
  readonly stop: () => void
}

/** A server on the loopback address with the part of EventStoreDB's protocol that this service uses. */
export const startServer = async (options: ServerOptions): Promise<TestServer> => {
  const { file, port, tls, user, version = "24.10.0" } = options
  const log = makeServerLog(file)
  let cut = (): void => {}
  const faultState: LogFaults = { faults: noFaults(), cut: () => cut(), user }
  const server = new Server()
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: makeFeatures(version)
  })
  server.addService(streamsService.StreamsService, {
    append: unimplemented,
    batchAppend: makeBatchAppend(log, faultState),
    read: makeRead(log, faultState),
    delete: makeDelete(log),
    tombstone: makeTombstone(log)
  })
  const inner = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      "127.0.0.1:0",
      ServerCredentials.createInsecure(),
      (error, bound) => error === null ? resolve(bound) : reject(error)
    )
  )
  const wire = await openWire(port, inner, tls)
  cut = wire.cut
  return {
    port: wire.port,
    log,
    faultState,
    stop: () => {
      wire.close()
      server.forceShutdown()
    }
  }
}

const unimplemented = (_call: unknown, answer: sendUnaryData<never>): void =>
  answer(refusal(status.UNIMPLEMENTED, "this test server appends in batches only"))
