import { Schema } from "effect"
import { isOperatorName, OperatorRole } from "../../../../domain/operators.ts"
import { expected, field } from "../values.ts"

const Name = Schema.String.check(
  expected(isOperatorName, "1 to 64 letters, digits and . _ @ + -, with a letter or digit first, and not ADMIN_TOKEN")
).annotate({ description: "1 to 64 letters, digits and `. _ @ + -`. Case does not make another name." })

const Role = OperatorRole.annotate({
  description: "`admin` may do everything, `support` reads and sends callbacks again, `auditor` reads and discloses."
})

/** The request bodies of the admin API for operators (docs/spec/http.md, "Admin API"). */
export const OperatorRequest = Schema.Struct({ name: Name, role: Role }).annotate({ identifier: "OperatorRequest" })

export const RoleRequest = Schema.Struct({ role: Role }).annotate({ identifier: "RoleRequest" })

/** Sessions of one operator. */
export const SessionQuery = Schema.Struct({
  operator: field(Schema.String, "Only the sessions of this operator, whose name is spelled as in the list.")
})
