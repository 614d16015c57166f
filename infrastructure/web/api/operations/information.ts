import { banks, info } from "../examples.ts"
import type { BranchOperation } from "../operation.ts"
import { Banks, Health, Info } from "../responses/account.ts"
import { callerCodes, type V2Code } from "../failures.ts"
import { ok, operationsOf } from "./declare.ts"

const { get } = operationsOf("Information")

/** Information about the caller, the banks and the service (docs/spec/http.md, "v2 endpoints"). */
export const information = {
  info: get("/v2/info", {
    scopes: "every-key",
    summary: "Application, branch, quota",
    description: "Never charged; answers when the quota is used up.",
    success: ok(Info, "Application information", { info: { summary: "A main branch", value: info } }),
    codes: callerCodes
  }),
  banks: get("/v2/banks", {
    scopes: "every-key",
    summary: "The bank list",
    description: "What `bankCode` and `extraVerify` take.",
    success: ok(Banks, "Supported banks", { banks: { summary: "Two of them", value: banks } }),
    codes: callerCodes
  }),
  health: get("/v2/health", {
    summary: "Whether the service answers",
    description: "For monitors; needs no key.",
    isOpen: true,
    success: ok(Health, "OK", { ok: { summary: "It does", value: { status: "ok" } } }),
    codes: ["INTERNAL_SERVER_ERROR"]
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
