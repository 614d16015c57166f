import { banks, info } from "../examples.ts"
import type { BranchOperation } from "../operation.ts"
import { Banks, Health, Info } from "../responses/account.ts"
import { callerCodes, type V2Code } from "../failures.ts"

/** Information about the caller, the banks and the service (docs/spec/http.md, "v2 endpoints"). */
export const information = {
  info: {
    method: "GET",
    path: "/v2/info",
    scopes: "every-key",
    tag: "Information",
    summary: "Application, branch, quota",
    description: "Never charged; answers when the quota is used up.",
    success: {
      status: 200,
      data: Info,
      message: "Application information",
      examples: { info: { summary: "A main branch", value: info } }
    },
    codes: callerCodes
  },
  banks: {
    method: "GET",
    path: "/v2/banks",
    scopes: "every-key",
    tag: "Information",
    summary: "The bank list",
    description: "What `bankCode` and `extraVerify` take.",
    success: {
      status: 200,
      data: Banks,
      message: "Supported banks",
      examples: { banks: { summary: "Two of them", value: banks } }
    },
    codes: callerCodes
  },
  health: {
    method: "GET",
    path: "/v2/health",
    tag: "Information",
    summary: "Whether the service answers",
    description: "For monitors; needs no key.",
    isOpen: true,
    success: {
      status: 200,
      data: Health,
      message: "OK",
      examples: { ok: { summary: "It does", value: { status: "ok" } } }
    },
    codes: ["INTERNAL_SERVER_ERROR"]
  }
} as const satisfies Record<string, BranchOperation<V2Code>>
