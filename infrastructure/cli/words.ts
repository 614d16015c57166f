import type { JsonObject } from "../../application/ports/event-store.ts"

/** An amount of satang in baht. */
export const baht = (satang: unknown): string =>
  typeof satang === "number"
    ? `${(satang / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} baht`
    : "an unknown amount"

/** A value of an event as it stands in a sentence. */
export const say = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** Which bank's gateway was asked and how long it took, to be put behind a sentence; nothing where none was. */
export const asked = ({ gateway, gatewayMillis }: JsonObject): string =>
  gateway === null || gateway === undefined ? "" : `; ${say(gateway)} answered in ${say(gatewayMillis)} ms`
