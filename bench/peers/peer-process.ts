import type { PeerReport, PeerRequest } from "./messages.ts"
import { makePeerService, type PeerStore } from "./peer-service.ts"

// A peer of the service, in a separate process with the default options of Node. It loads the packages of its stores
// only.

process.once("message", (request: PeerRequest) => {
  void serve(request)
})

const serve = async (request: PeerRequest) => {
  const app = makePeerService(await openStore(request))
  const address = await app.listen({ port: 0, host: "127.0.0.1" })
  const report: PeerReport = { port: Number(new URL(address).port) }
  process.send?.(report)
}

const openStore = async ({ branch, stores }: PeerRequest): Promise<PeerStore> => {
  if ("file" in stores) {
    const { openSqliteStore } = await import("./sqlite-store.ts")
    return openSqliteStore(stores.file, branch)
  }
  const { openSharedStore } = await import("./shared-store.ts")
  return openSharedStore(stores, branch)
}
