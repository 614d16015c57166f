import { Schema } from "effect"
import { InclusionProof } from "../../../../domain/log-proof/inclusion-proof.ts"
import { AuditQuery, ExportQuery, ProofQuery, TreeHeadQuery } from "../requests/audit.ts"
import type { V2Code } from "../failures.ts"
import type { Examples, Operation } from "../operation.ts"
import { AuditAct } from "../responses/audit.ts"
import * as examples from "./admin-audit-examples.ts"
import { codesWithBoth, codesWithId, codesWithInput, file, page } from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const { get } = operationsOf("Trail")
const example = (summary: string, value: unknown): Examples => ({ example: { summary, value } })

const lines = Schema.String.annotate({ description: "Text, sent as it is read." })

/** What operators did (docs/spec/http.md, "Audit"). */
export const audit = {
  listAudit: operationsOf("Audit").get("/admin/v1/audit", {
    summary: "What operators did",
    description:
      "Changes, looks at personal data, exports, sign-ins and refused attempts; the newest first. A page with several "
      + "filters can have fewer entries than `limit`, even none, while there is a next page.",
    query: AuditQuery,
    isPaged: true,
    success: page(AuditAct, "Audit", examples.act),
    codes: codesWithInput
  })
} as const satisfies Record<string, Operation<V2Code>>

/** Exports of the trail, and what proves them (docs/spec/http.md, "Trail export" and "Proofs"). */
export const evidence = {
  exportTrail: get("/admin/v1/trail/export", {
    summary: "Export events",
    description:
      "The same bytes as `sliptrail trail export`: one event is one line, in the order of the log. The export is recorded "
      + "before its first byte. When the connection ends before the last chunk, the export is incomplete: continue it with "
      + "`after`. A process runs two exports at a time.",
    refusesHead: true,
    query: ExportQuery,
    success: file(lines, "The events", {
      "application/x-ndjson": example("A line", examples.exportedLine),
      "text/csv": example("The first columns of the header", examples.csvHeader)
    }),
    codes: codesWithBoth
  }),
  proveEvents: get("/admin/v1/trail/proof", {
    summary: "A proof of a verification or a job",
    description:
      "Exactly one of `verification` and `job`. The file of `sliptrail trail prove`: `sliptrail trail check-proof` checks "
      + "it with the public key alone.",
    query: ProofQuery,
    success: file(InclusionProof.annotate({ identifier: "Proof" }), "The proof", {
      "application/json": example("The proof of a verification", examples.proof)
    }),
    codes: [...codesWithBoth, "PROOF_PENDING"]
  }),
  listTreeHeads: get("/admin/v1/trail/tree-heads", {
    summary: "The signed tree heads of the log",
    description:
      "One tree head is one line, oldest first: the file of `sliptrail trail verify --checkpoints`. Keep a copy elsewhere.",
    query: TreeHeadQuery,
    refusesHead: true,
    success: file(lines, "The signed tree heads", {
      "application/x-ndjson": example("A line", examples.treeHeadLine)
    }),
    codes: codesWithInput
  }),
  getSigningKey: get("/admin/v1/trail/signing-key", {
    summary: "The public key of the signed tree heads",
    description:
      "In PEM, the file of `--key`. Compare it with a copy from its owner: a key from the same source as the log proves "
      + "nothing about that source.",
    success: file(Schema.String, "The public key", {
      "application/x-pem-file": example("An Ed25519 key", examples.publicKey)
    }),
    codes: codesWithId
  })
} as const satisfies Record<string, Operation<V2Code>>
