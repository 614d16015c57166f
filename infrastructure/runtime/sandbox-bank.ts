import { isLoopbackHost } from "../platform/ip-address.ts"
import type { Settings } from "../platform/settings/settings.ts"

type SandboxSettings = Pick<
  Settings,
  "allowSandbox" | "bankGateways" | "eventStoreUrl" | "host" | "redisUrl" | "roles"
>

/** Whether the sandbox bank is one of the gateways. Anyone can make slips that it confirms. */
export const usesSandbox = ({ bankGateways }: Pick<Settings, "bankGateways">): boolean =>
  bankGateways.includes("sandbox")

/** Whether this process asks gateways. */
export const asksBanks = ({ roles }: Pick<Settings, "roles">): boolean =>
  roles.includes("http") || roles.includes("worker")

/** Why the installation is more than a trial on one machine; undefined when it is not. */
const exposure = ({ eventStoreUrl, host, redisUrl }: SandboxSettings): string | undefined => {
  if (!isLoopbackHost(host)) return `other machines can call HOST=${host}`
  if (eventStoreUrl !== undefined) return "EVENTSTORE_URL shares the log with other processes"
  return redisUrl === undefined ? undefined : "REDIS_URL shares the read models with other processes"
}

/** Whether the sandbox bank is a gateway of a trial on one machine. Only there a demo service is created. */
export const isLocalTrial = (settings: SandboxSettings): boolean =>
  usesSandbox(settings) && exposure(settings) === undefined

/**
 * Why the sandbox bank is refused; undefined when it is accepted. Processes that ask no bank accept it: a projector may
 * have the same settings as the others, or none.
 */
export const sandboxFault = (settings: SandboxSettings): string | undefined => {
  const exposed = exposure(settings)
  if (settings.allowSandbox || !asksBanks(settings) || !usesSandbox(settings) || exposed === undefined) return undefined
  return `BANK_GATEWAYS: the sandbox bank confirms slips that anyone can make, and ${exposed}. `
    + "Set BANK_GATEWAYS to your banks, such as kbank,scb, or ALLOW_SANDBOX=true for a trial without real money"
}
