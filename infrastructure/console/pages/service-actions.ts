import { Effect } from "effect"
import { changeAccount } from "../../../application/provisioning/accounts.ts"
import { changeService, patchService } from "../../../application/provisioning/services.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { type ServiceCommand, ServiceNotFound } from "../../../domain/service.ts"
import { quotaOf } from "../quota-field.ts"
import { operationOf, orAgain, pathTo, seeOther, type Visit } from "../page-context.ts"
import type { Words } from "../messages/en.ts"
import { servicePage } from "./service.ts"
import { decodeReason, decodeServiceChange } from "../../input/operator-requests.ts"

type Done = keyof Words["done"]

const idOf = ({ params: [id = ""] }: Visit): string => id.toLowerCase()

const done = (visit: Visit, what: Done) => seeOther(`${pathTo("services", idOf(visit))}?done=${what}`)

const doing = (visit: Visit, command: Exclude<ServiceCommand, { readonly _tag: "CreateService" }>, what: Done) =>
  Effect.as(changeService(idOf(visit), command, operationOf(visit)), done(visit, what))

export const unban = (visit: Visit) => doing(visit, { _tag: "UnbanService" }, "unbanned")
export const activate = (visit: Visit) => doing(visit, { _tag: "ActivateService" }, "activated")
export const deactivate = (visit: Visit) => doing(visit, { _tag: "DeactivateService" }, "deactivated")
export const remove = (visit: Visit) => doing(visit, { _tag: "DeleteService" }, "deleted")

export const ban = Effect.fnUntraced(function* (visit: Visit) {
  const { reason = null } = yield* decodeReason(visit.fields)
  return yield* doing(visit, { _tag: "BanService", reason }, "banned")
})

/** Without it the services of an account cannot call. */
export const verifyAccount = Effect.fnUntraced(function* (visit: Visit) {
  const service = yield* (yield* Directory).service(idOf(visit))
  if (service === undefined) return yield* new ServiceNotFound()
  yield* changeAccount(service.accountId, { _tag: "VerifyAccount" }, operationOf(visit))
  return done(visit, "verified")
})

export const change = (visit: Visit) =>
  orAgain(
    visit,
    servicePage,
    Effect.gen(function* () {
      const { fields } = visit
      const asked = {
        name: fields["name"] ?? "",
        plan: fields["plan"] ?? "",
        quota: quotaOf(fields),
        expiresAt: fields["expiresAt"] ?? null
      }
      yield* patchService(idOf(visit), yield* decodeServiceChange(asked), operationOf(visit))
      return done(visit, "changed")
    })
  )
