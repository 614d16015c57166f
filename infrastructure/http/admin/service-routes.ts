import { Effect, Layer } from "effect"
import { createBranch } from "../../../application/provisioning/branches.ts"
import { changeService, createService, patchService } from "../../../application/provisioning/services.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { fieldsOf } from "../body.ts"
import { pageOf } from "../page.ts"
import { type AdminRoute, idOf, operationOf } from "./admin-route.ts"
import {
  decodeBranch,
  decodeReason,
  decodeService,
  decodeServiceChange,
  DEFAULT_PLAN
} from "../../input/operator-requests.ts"

const switches = [
  ["unban", "UnbanService", "Service unbanned"],
  ["delete", "DeleteService", "Service deleted"],
  ["activate", "ActivateService", "Service activated"],
  ["deactivate", "DeactivateService", "Service deactivated"]
] as const

/** Services and the branches that are added to them. */
export const serviceRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      "POST",
      "/services",
      Effect.fnUntraced(function* (exchange) {
        const fields = yield* decodeService(yield* fieldsOf(exchange))
        const { accountId, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null } = fields
        const owner = accountId?.toLowerCase()
        const data = yield* createService({ name, plan, quota, accountId: owner, expiresAt }, operationOf(exchange))
        return { status: 201, message: "Service created; key and secret are shown this once", data }
      })
    ),
    route(
      "GET",
      "/services",
      Effect.fnUntraced(function* (exchange) {
        return { message: "Services", data: yield* (yield* Directory).services(yield* pageOf(exchange)) }
      })
    ),
    route(
      "GET",
      "/services/:id",
      Effect.fnUntraced(function* (exchange) {
        const directory = yield* Directory
        const service = yield* directory.service(idOf(exchange))
        if (service === undefined) return yield* new ServiceNotFound()
        return { message: "Service", data: { ...service, branches: yield* directory.branchesOf(service.id) } }
      })
    ),
    route(
      "PATCH",
      "/services/:id",
      Effect.fnUntraced(function* (exchange) {
        const change = yield* decodeServiceChange(yield* fieldsOf(exchange))
        return { message: "Service changed", data: yield* patchService(idOf(exchange), change, operationOf(exchange)) }
      })
    ),
    route(
      "POST",
      "/services/:id/ban",
      Effect.fnUntraced(function* (exchange) {
        const { reason = null } = yield* decodeReason(yield* fieldsOf(exchange))
        const data = yield* changeService(idOf(exchange), { _tag: "BanService", reason }, operationOf(exchange))
        return { message: "Service banned", data }
      })
    ),
    ...switches.map(([path, _tag, message]) =>
      route(
        "POST",
        `/services/:id/${path}`,
        Effect.fnUntraced(function* (exchange) {
          return { message, data: yield* changeService(idOf(exchange), { _tag }, operationOf(exchange)) }
        })
      )
    ),
    route(
      "POST",
      "/services/:id/branches",
      Effect.fnUntraced(function* (exchange) {
        const { name, ...settings } = yield* decodeBranch(yield* fieldsOf(exchange))
        const data = yield* createBranch({ serviceId: idOf(exchange), name, settings }, operationOf(exchange))
        return { status: 201, message: "Branch created; key and secret are shown this once", data }
      })
    )
  )
