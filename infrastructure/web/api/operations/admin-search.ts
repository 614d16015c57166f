import { FindQuery } from "../requests/operator-queries.ts"
import { AllVerificationsQuery } from "../requests/verification-queries.ts"
import { ids } from "../examples.ts"
import type { V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import { Found } from "../../../../application/views/search.ts"
import { OperatorVerification } from "../../../../application/views/verification.ts"
import { branch, service } from "./admin-examples.ts"
import { codesWithInput, page, success } from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const { get } = operationsOf("Search")

const verification = {
  verificationId: ids.verification,
  at: "2026-11-21T08:45:12.345Z",
  outcome: "verified",
  isDuplicate: false,
  accepted: true,
  amount: 1500.5,
  charged: true,
  kind: "bank",
  branchId: branch.id,
  serviceId: service.id
}

const found = {
  text: "M07736",
  groups: [
    { by: "reference", hits: [], isComplete: true, searchedBackTo: null },
    {
      by: "tail",
      hits: [{ kind: "verification", id: ids.verification, name: null, serviceId: null, verification }],
      isComplete: true,
      searchedBackTo: null
    },
    { by: "request", hits: [], isComplete: true, searchedBackTo: null },
    { by: "name", hits: [], isComplete: true, searchedBackTo: null },
    { by: "remark", hits: [], isComplete: true, searchedBackTo: null }
  ]
}

/** What operators list and search over all branches (docs/spec/http.md, "Search"). */
export const search = {
  listVerifications: get("/admin/v1/verifications", {
    summary: "Verifications of all branches",
    description:
      "The newest first unless `order` is `oldest`, without personal data. All filters may be combined. Without `branch`, and "
      + "for a service with more than 64 branches, the list has verifications within `JOB_RETENTION`. A page can have fewer "
      + "than `limit` items, even none, while there is a next page.",
    query: AllVerificationsQuery,
    isPaged: true,
    success: page(OperatorVerification, "Verifications", verification),
    codes: codesWithInput
  }),
  find: get("/admin/v1/find", {
    summary: "Find anything by what is known of it",
    description:
      "Reads the text in every way that is possible, and answers what each found, without personal data. The end of a "
      + "reference does not find slips that version 0.1.0 verified: search for their whole reference.",
    query: FindQuery,
    success: success(Found, "Search", found),
    codes: codesWithInput
  })
} as const satisfies Record<string, Operation<V2Code>>
