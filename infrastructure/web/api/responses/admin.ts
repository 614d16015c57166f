import { Schema } from "effect"
import { AccountView, BranchView, ServiceView } from "../../../../application/views/provisioning.ts"
import { JobStatus } from "../../../../domain/job.ts"
import { PolicyRequest } from "../requests/conditions.ts"
import { BankAccount } from "./account.ts"
import { Count, Id, Time } from "../../../../application/views/values.ts"

const secrets = {
  apiKey: Schema.String.annotate({ description: "Shown this once." }),
  webhookSecret: Schema.String.annotate({ description: "`whsec_` and base64; shown this once." })
}

export const Account = AccountView.annotate({ identifier: "Account", description: "An owner of services." })
export const Branch = BranchView.annotate({ identifier: "Branch" })
export const NewBranch = Schema.Struct({ ...BranchView.fields, ...secrets }).annotate({ identifier: "NewBranch" })
export const NewKey = Schema.Struct({ ...BranchView.fields, apiKey: secrets.apiKey }).annotate({ identifier: "NewKey" })

/** The policy of a branch, with the conditions as they were sent and times in UTC. */
export const BranchPolicy = Schema.Struct({
  version: Schema.NullOr(Count).annotate({ description: "Counts the changes from 1; null without a policy." }),
  conditions: Schema.NullOr(PolicyRequest).annotate({ description: "Null without a policy." })
}).annotate({ identifier: "BranchPolicy" })

export const Service = ServiceView.annotate({ identifier: "Service" })
export const NewService = Schema.Struct({
  ...ServiceView.fields,
  mainBranch: Schema.Struct({ ...ServiceView.fields.mainBranch.fields, ...secrets })
}).annotate({ identifier: "NewService" })
export const ServiceWithBranches = Schema.Struct({
  ...ServiceView.fields,
  branches: Schema.Array(Branch)
}).annotate({ identifier: "ServiceWithBranches" })

export const ServiceBankAccount = Schema.Struct({
  ...BankAccount.fields,
  bankNumber: Schema.String.annotate({
    description: "Its last four digits; `x` stands for the others. Names and references are masked too: the trail with "
      + "`reveal=true` shows them, and records that."
  }),
  branchIds: Schema.Array(Id).annotate({ description: "The branches that are linked to it." })
}).annotate({ identifier: "ServiceBankAccount" })

export const JobSummary = Schema.Struct({
  jobId: Id,
  branchId: Id,
  state: JobStatus,
  createdAt: Time,
  attempts: Count,
  nextAttemptAt: Schema.NullOr(Time)
}).annotate({ identifier: "JobSummary" })

export const Redelivered = Schema.Struct({ redelivered: Count }).annotate({ identifier: "Redelivered" })

export const Erasure = Schema.Struct({
  at: Time,
  jobIds: Schema.Array(Id).annotate({ description: "Jobs whose data was erased with the slip." })
}).annotate({ identifier: "Erasure" })

const built = { name: Schema.String, model: Schema.String, position: Schema.String }

export const Projections = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    model: Schema.String.annotate({ description: "The name with the version of the read model." }),
    checkpoint: Schema.String,
    head: Schema.String.annotate({ description: "The position of the last event." }),
    lag: Schema.Int.annotate({ description: "The distance of both: events, or bytes of an EventStoreDB log." }),
    isAhead: Schema.Boolean.annotate({ description: "The read model belongs to another log." })
  }).annotate({ identifier: "Projection" })
)

export const Rebuilt = Schema.Struct({ ...built, tookMillis: Count }).annotate({ identifier: "Rebuilt" })

const differences = Schema.Struct({ count: Count, lines: Schema.Array(Schema.String) })

export const Comparison = Schema.Struct({
  ...built,
  lines: Count,
  isSame: Schema.Boolean,
  surplus: differences.annotate({ description: "Lines of the read model that a replay does not give; at most 100." }),
  missing: differences.annotate({ description: "Lines of the replay that the read model lacks; at most 100." })
}).annotate({ identifier: "Comparison" })
