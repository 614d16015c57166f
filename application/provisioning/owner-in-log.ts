import { Effect } from "effect"
import { streamOf } from "../../domain/events/aggregates.ts"
import { EventStore } from "../../ports/event-store.ts"
import {
  accountRows,
  branchesWrites,
  branchRows,
  type KeyOwner,
  keyRows,
  serviceRows
} from "../../projections/models/branches.ts"

/**
 * An API key of a branch with its branch, service and account, as the log has them now. Undefined when the key was revoked,
 * or when the branch has no service. It reads three streams, so it is for keys that the read model may not have yet.
 */
export const ownerInLog = Effect.fnUntraced(function* (keyDigest: string, branchId: string) {
  const ofBranch = yield* writesOf(streamOf.branch(branchId))
  const key = keyRows.fold(ofBranch, keyDigest)
  const branch = branchRows.fold(ofBranch, branchId)
  if (key === undefined || key.revoked || branch === undefined) return undefined
  const { serviceId } = branch
  const service = serviceRows.fold(yield* writesOf(streamOf.service(serviceId)))
  const account = service && accountRows.fold(yield* writesOf(streamOf.account(service.accountId)))
  if (service === undefined || account === undefined) return undefined
  return { key, branchId, branch, serviceId, service, account } satisfies KeyOwner
})

const writesOf = (stream: string) =>
  EventStore.use((store) => Effect.map(store.readStream(stream), (events) => events.flatMap(branchesWrites)))
