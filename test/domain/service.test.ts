import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { fold } from "../../domain/decider.ts"
import { service, type ServiceCommand, ServiceEvent } from "../../domain/service.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const expiresAt = "2027-01-01T00:00:00.000Z"
const identity = { serviceId: "s-1", accountId: "a-1", mainBranchId: "b-1", name: "Shop", plan: "free" }
const create: ServiceCommand = { _tag: "CreateService", ...identity, expiresAt: null }
const created: ServiceEvent = { _tag: "ServiceCreated", ...identity }
const deactivated: ServiceEvent = { _tag: "ServiceDeactivated" }
const activated: ServiceEvent = { _tag: "ServiceActivated" }
const banned: ServiceEvent = { _tag: "ServiceBanned", reason: "forged slips" }
const unbanned: ServiceEvent = { _tag: "ServiceUnbanned" }
const deleted: ServiceEvent = { _tag: "ServiceDeleted" }

describe("a service", () => {
  it("is created without an expiry", () => {
    given(service).when(create).then(created)
  })

  it("is created with an expiry in a separate event", () => {
    given(service).when({ ...create, expiresAt }).then(created, { _tag: "ServiceExpirySet", expiresAt })
  })

  it("is created once, also after it was deleted", () => {
    given(service, created).when({ ...create, name: "Other" }).thenNothing()
    given(service, created, deleted).when(create).thenNothing()
  })

  it("changes present fields and keeps absent ones", () => {
    given(service, created).when({ _tag: "ChangeService" }).thenNothing()
    given(service, created).when({ _tag: "ChangeService", name: "Café" }).then({ _tag: "ServiceRenamed", name: "Café" })
    given(service, created).when({ _tag: "ChangeService", plan: "pro" })
      .then({ _tag: "ServicePlanChanged", plan: "pro" })
    given(service, created).when({ _tag: "ChangeService", name: "Café", plan: "pro", expiresAt }).then(
      { _tag: "ServiceRenamed", name: "Café" },
      { _tag: "ServicePlanChanged", plan: "pro" },
      { _tag: "ServiceExpirySet", expiresAt }
    )
  })

  it("does not change to equal values", () => {
    given(service, created).when({ _tag: "ChangeService", name: "Shop", plan: "free", expiresAt: null }).thenNothing()
    given(service, created, { _tag: "ServiceExpirySet", expiresAt }).when({ _tag: "ChangeService", expiresAt })
      .thenNothing()
  })

  it("removes its expiry by null", () => {
    given(service, created, { _tag: "ServiceExpirySet", expiresAt }).when({ _tag: "ChangeService", expiresAt: null })
      .then({ _tag: "ServiceExpirySet", expiresAt: null })
  })

  it("is active at first, and is deactivated and activated", () => {
    given(service, created).when({ _tag: "ActivateService" }).thenNothing()
    given(service, created).when({ _tag: "DeactivateService" }).then(deactivated)
    given(service, created, deactivated).when({ _tag: "DeactivateService" }).thenNothing()
    given(service, created, deactivated).when({ _tag: "ActivateService" }).then(activated)
  })

  it("is banned and unbanned, active or not", () => {
    given(service, created).when({ _tag: "UnbanService" }).thenNothing()
    given(service, created).when({ _tag: "BanService", reason: "forged slips" }).then(banned)
    given(service, created, deactivated).when({ _tag: "BanService", reason: "forged slips" }).then(banned)
    given(service, created, banned).when({ _tag: "BanService", reason: null }).thenNothing()
    given(service, created, banned).when({ _tag: "UnbanService" }).then(unbanned)
  })

  it("stays deactivated through a ban", () => {
    assert.isFalse(fold(service, [created, deactivated, banned, unbanned]).active)
  })

  it("is deleted permanently", () => {
    given(service, created).when({ _tag: "DeleteService" }).then(deleted)
    given(service, created, deleted).when({ _tag: "DeleteService" }).thenNothing()
    assert.isTrue(service.isTerminal(fold(service, [created, deleted])))
    assert.isFalse(service.isTerminal(fold(service, [created, banned])))
  })

  const changes: ReadonlyArray<ServiceCommand> = [
    { _tag: "ChangeService", name: "Café" },
    { _tag: "DeactivateService" },
    { _tag: "ActivateService" },
    { _tag: "BanService", reason: null },
    { _tag: "UnbanService" }
  ]

  it.each(changes)("refuses $_tag after it was deleted", (command) => {
    given(service, created, deleted).when(command).thenRejected("ServiceNotFound")
  })

  it.each([...changes, { _tag: "DeleteService" } as const])("refuses $_tag before it is created", (command) => {
    given(service).when(command).thenRejected("ServiceNotFound")
  })
})

const Name = Schema.Literals(["Shop", "Café"])
const Plan = Schema.Literals(["free", "pro"])
const Expiry = Schema.NullOr(Schema.Literals([expiresAt, "2028-01-01T00:00:00.000Z"]))

const Command = Schema.TaggedUnion({
  CreateService: {
    serviceId: Schema.String,
    accountId: Schema.String,
    mainBranchId: Schema.String,
    name: Name,
    plan: Plan,
    expiresAt: Expiry
  },
  ChangeService: {
    name: Schema.optional(Name),
    plan: Schema.optional(Plan),
    expiresAt: Schema.optional(Expiry)
  },
  DeactivateService: {},
  ActivateService: {},
  BanService: { reason: Schema.NullOr(Schema.String) },
  UnbanService: {},
  DeleteService: {}
})

describe("any service", () => {
  itObeysTheLaws(service, ServiceEvent, Arbitrary.schema(Command))
})
