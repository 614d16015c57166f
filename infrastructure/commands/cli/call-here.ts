import { Effect, Result } from "effect"
import { load } from "../../../application/events/handle-command.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import { consoleSessions, operators, streamOf } from "../../../domain/events/aggregates.ts"
import { decodeRequest } from "../../web/operators/decode.ts"
import type { OperatorRequest, PageRange } from "../../web/operators/handler.ts"
import { changeHandlers, type ChangeName, readHandlers, type ReadName } from "../../web/operators/handlers.ts"
import type { Operations } from "../../web/operators/operations.ts"
import { OperatorAccess } from "../../web/operators/operator-access.ts"
import { grantsAdmin, readOidcClient } from "../../platform/settings/oidc-client.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { localOperator } from "./local-operator.ts"
import { note } from "./output.ts"
import type { Request, RequestParts } from "./request.ts"

const stateOf = {
  operators: Effect.map(load(operators, streamOf.operators()), ({ state }) => state),
  endedSessions: Effect.map(load(consoleSessions, streamOf.consoleSessions()), ({ state }) => state)
}

const localOrigin = (port: number) =>
  Effect.as(note("PUBLIC_URL is not set: the link works on this machine only"), `http://127.0.0.1:${port}`)

/** What an operation gets that works on the data folder, as the admin API would give it. */
const given = Effect.fnUntraced(function* (request: RequestParts, page: PageRange | undefined, ids: RequestIds) {
  const { params = {} } = request
  const settings = yield* readSettings
  const oidc = Result.getOrUndefined(readOidcClient(settings))
  const access = {
    ...stateOf,
    hasOtherAdmin: settings.adminToken !== undefined || oidc !== undefined && grantsAdmin(oidc)
  }
  return {
    access,
    input: {
      ...yield* decodeRequest(request),
      id: (params["id"] ?? "").toLowerCase(),
      params,
      page,
      ids,
      operator: { name: yield* localOperator, role: "admin" },
      linkOrigin: settings.publicUrl === undefined ? localOrigin(settings.port) : Effect.succeed(settings.publicUrl)
    }
  }
})

/** Reads the stores by the handler that the admin API has for the request. */
export const readHere = Effect.fnUntraced(
  function* <Name extends ReadName>(request: Request<Name>, ids: RequestIds, page: PageRange | undefined) {
    const { access, input } = yield* given(request, page, ids)
    // The declaration gives the type.
    const run = readHandlers[request.name](input as OperatorRequest<Operations[Name]>)
    return yield* Effect.provideService(run, OperatorAccess, access)
  }
)

/** Changes the stores by the handler that the admin API has for the request. */
export const changeHere = Effect.fnUntraced(
  function* <Name extends ChangeName>(request: Request<Name>, ids: RequestIds) {
    const { access, input } = yield* given(request, undefined, ids)
    const run = changeHandlers[request.name](input as OperatorRequest<Operations[Name]>)
    return yield* Effect.provideService(run, OperatorAccess, access)
  }
)
