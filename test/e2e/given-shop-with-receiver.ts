import { Context, Effect, Layer } from "effect"
import { type Receiver, settingsFor, startReceiver } from "../infrastructure/commands/cli/given-jobs.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

/** One branch, and a receiver for its callbacks, shared by the tests of a file. */
export class Shop extends Context.Service<Shop, {
  readonly key: string
  readonly branchId: string
  readonly receiver: Receiver
}>()("test/Shop") {}

export const layerShop = Layer.unwrap(Effect.gen(function* () {
  const receiver = yield* startReceiver
  return Layer.effect(
    Shop,
    Effect.gen(function* () {
      const { mainBranch } = yield* (yield* RunningService).createService()
      return Shop.of({ key: mainBranch.apiKey, branchId: mainBranch.id, receiver })
    })
  ).pipe(Layer.provideMerge(layerRunningService(settingsFor(receiver))))
}))
