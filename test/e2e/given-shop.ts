import { Context, Effect, Layer } from "effect"
import { type Env, layerRunningService, RunningService } from "../support/service.ts"

/** A merchant of the running service. */
export class Shop extends Context.Service<Shop, {
  /** The API key of its main branch. */
  readonly key: string
  readonly branchId: string
  readonly serviceId: string
}>()("test/Shop") {}

/** A running service with one merchant, whose quota is unlimited unless it is given. */
export const layerShop = (env: Env = {}, quota?: number) =>
  Layer.effect(
    Shop,
    Effect.gen(function* () {
      const { createService } = yield* RunningService
      const { id, mainBranch } = yield* createService(quota === undefined ? {} : { quota })
      return Shop.of({ key: mainBranch.apiKey, branchId: mainBranch.id, serviceId: id })
    })
  ).pipe(Layer.provideMerge(layerRunningService(env)))
