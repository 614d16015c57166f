import { Effect } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { idOf, type PageContext } from "./page-context.ts"

/** The branch that the path of the page names. */
export const branchOf = Effect.fnUntraced(function* (context: PageContext) {
  return (yield* (yield* Directory).branch(idOf(context))) ?? (yield* new BranchNotFound())
})

/** The service that the path of the page names. */
export const serviceOf = Effect.fnUntraced(function* (context: PageContext) {
  return (yield* (yield* Directory).service(idOf(context))) ?? (yield* new ServiceNotFound())
})
