import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/** A service is one client application with its plan; branches belong to it. Its stream is `service-{id}`. */

// These names are the storage format: add, never edit.
export const ServiceEvent = Schema.TaggedUnion({
  ServiceCreated: {
    serviceId: Schema.String,
    accountId: Schema.String,
    mainBranchId: Schema.String,
    name: Schema.String,
    plan: Schema.String
  },
  ServiceRenamed: { name: Schema.String },
  ServicePlanChanged: { plan: Schema.String },
  /** `expiresAt` is ISO 8601; null never expires. */
  ServiceExpirySet: { expiresAt: Schema.NullOr(Schema.String) },
  ServiceDeactivated: {},
  ServiceActivated: {},
  ServiceBanned: { reason: Schema.NullOr(Schema.String) },
  ServiceUnbanned: {},
  ServiceDeleted: {}
})
export type ServiceEvent = typeof ServiceEvent.Type

export interface ServiceState {
  readonly created: boolean
  readonly name: string
  readonly plan: string
  readonly expiresAt: string | null
  readonly active: boolean
  readonly banned: boolean
  readonly deleted: boolean
}

const evolve = (state: ServiceState, event: ServiceEvent): ServiceState => {
  switch (event._tag) {
    case "ServiceCreated":
      return { ...state, created: true, active: true, name: event.name, plan: event.plan }
    case "ServiceRenamed":
      return { ...state, name: event.name }
    case "ServicePlanChanged":
      return { ...state, plan: event.plan }
    case "ServiceExpirySet":
      return { ...state, expiresAt: event.expiresAt }
    case "ServiceDeactivated":
      return { ...state, active: false }
    case "ServiceActivated":
      return { ...state, active: true }
    case "ServiceBanned":
      return { ...state, banned: true }
    case "ServiceUnbanned":
      return { ...state, banned: false }
    case "ServiceDeleted":
      return { ...state, deleted: true }
  }
}

export type ServiceCommand =
  | {
    readonly _tag: "CreateService"
    readonly serviceId: string
    readonly accountId: string
    readonly mainBranchId: string
    readonly name: string
    readonly plan: string
    readonly expiresAt: string | null
  }
  | {
    readonly _tag: "ChangeService"
    readonly name?: string | undefined
    readonly plan?: string | undefined
    readonly expiresAt?: string | null | undefined
  }
  | { readonly _tag: "DeactivateService" | "ActivateService" | "UnbanService" | "DeleteService" }
  | { readonly _tag: "BanService"; readonly reason: string | null }

/** The service does not exist or was deleted. The history of a deleted service stays, but nothing can change it. */
export class ServiceNotFound extends Schema.TaggedError<ServiceNotFound>()("ServiceNotFound", {}) {}

const make = eventsOf(ServiceEvent)

const when = (condition: boolean, event: () => ServiceEvent): ReadonlyArray<ServiceEvent> => condition ? [event()] : []

const decide = (
  command: ServiceCommand,
  state: ServiceState
): Result.Result<ReadonlyArray<ServiceEvent>, ServiceNotFound> => {
  if (command._tag === "CreateService") {
    if (state.created) return Result.succeed([])
    const { accountId, expiresAt, mainBranchId, name, plan, serviceId } = command
    return Result.succeed([
      make.ServiceCreated({ serviceId, accountId, mainBranchId, name, plan }),
      ...when(expiresAt !== null, () => make.ServiceExpirySet({ expiresAt }))
    ])
  }
  if (!state.created) return Result.fail(new ServiceNotFound())
  if (command._tag === "DeleteService") return Result.succeed(when(!state.deleted, () => make.ServiceDeleted({})))
  if (state.deleted) return Result.fail(new ServiceNotFound())
  switch (command._tag) {
    case "ChangeService": {
      const { expiresAt, name, plan } = command
      return Result.succeed([
        ...(name !== undefined && name !== state.name ? [make.ServiceRenamed({ name })] : []),
        ...(plan !== undefined && plan !== state.plan ? [make.ServicePlanChanged({ plan })] : []),
        ...(expiresAt !== undefined && expiresAt !== state.expiresAt ? [make.ServiceExpirySet({ expiresAt })] : [])
      ])
    }
    case "DeactivateService":
      return Result.succeed(when(state.active, () => make.ServiceDeactivated({})))
    case "ActivateService":
      return Result.succeed(when(!state.active, () => make.ServiceActivated({})))
    case "BanService":
      return Result.succeed(when(!state.banned, () => make.ServiceBanned({ reason: command.reason })))
    case "UnbanService":
      return Result.succeed(when(state.banned, () => make.ServiceUnbanned({})))
  }
}

export const service: Decider<ServiceCommand, ServiceState, ServiceEvent, ServiceNotFound> = {
  initialState: { created: false, name: "", plan: "", expiresAt: null, active: false, banned: false, deleted: false },
  evolve,
  decide,
  isTerminal: (state) => state.deleted
}
