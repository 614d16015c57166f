import { Schema } from "effect"
import { acts } from "../../../../domain/permissions.ts"
import { OperatorRole } from "../../../../domain/operators.ts"
import { SignInSource } from "../../../../domain/sign-in.ts"
import { Id, Time } from "../../../../application/views/values.ts"

const operatorFields = { name: Schema.String, role: OperatorRole, addedAt: Time }

export const Operator = Schema.Struct(operatorFields).annotate({ identifier: "Operator" })
export const Operators = Schema.Array(Operator)

export const OperatorWithToken = Schema.Struct({
  ...operatorFields,
  token: Schema.String.annotate({ description: "`slt_` and base64url; shown this once." })
}).annotate({ identifier: "OperatorWithToken" })

export const Me = Schema.Struct({
  name: Schema.String.annotate({ description: "`ADMIN_TOKEN` for the token of that setting." }),
  role: OperatorRole,
  may: Schema.Array(Schema.Literals(acts)).annotate({
    description: "The operations of the admin API that the role may use, by their ids, and further acts."
  })
}).annotate({ identifier: "Me" })

export const Session = Schema.Struct({
  id: Id,
  operator: Schema.String,
  role: OperatorRole,
  source: SignInSource,
  startedAt: Time,
  expiresAt: Time.annotate({ description: "When it ends at the latest. It ends earlier when it is not used." })
}).annotate({ identifier: "Session" })

export const SessionEnded = Schema.Struct({ id: Id }).annotate({ identifier: "SessionEnded" })
export const SessionsEnded = Schema.Struct({ operator: Schema.String }).annotate({ identifier: "SessionsEnded" })
