import { beginsAsObject, isJsonType, JSON_TYPE, URLENCODED } from "../bodies/decode-body.ts"

/**
 * When a body is JSON. `never`: a page that a cookie signs in. Browsers send any text under a type of forms, without a type
 * and as `text/plain` for a page of another site, so such a body is never read as JSON there. `declared`: its type says
 * so, or it has none. `guessed`: also an object under a type that clients send by mistake.
 */
export type JsonReading = "never" | "declared" | "guessed"

/** Types under which clients send JSON by mistake: `fetch` and `curl` set them unless told otherwise. */
const GUESSED_TYPES: ReadonlyArray<string> = ["", "text/plain", "text/json", URLENCODED]

/** What an endpoint reads. */
export interface TypeRules {
  /** The media types of forms. */
  readonly forms: ReadonlyArray<string>
  readonly json: JsonReading
}

/** The media type of a `Content-Type`, in lower case and without parameters; empty without one. */
export const declaredType = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The media type by which a body is decoded that begins with these bytes; undefined when it is not accepted. */
export const typeOfBody = (declared: string, start: Uint8Array, { forms, json }: TypeRules): string | undefined => {
  if (declared === JSON_TYPE) return json === "never" ? undefined : declared
  if (json === "guessed" && GUESSED_TYPES.includes(declared) && beginsAsObject(start)) return JSON_TYPE
  if (forms.includes(declared)) return declared
  if (json === "never") return undefined
  if (declared === "") return JSON_TYPE
  return isJsonType(declared) ? declared : undefined
}

const START_OF_OBJECT = Buffer.from("{")

/** Whether a body of this type can be accepted, whatever it begins with. */
export const isAcceptable = (declared: string, rules: TypeRules): boolean =>
  typeOfBody(declared, START_OF_OBJECT, rules) !== undefined

/** What a caller reads when the type of its body is not accepted. */
export const refusalOfType = ({ forms, json }: TypeRules): string =>
  `Send ${[...(json === "never" ? [] : [JSON_TYPE]), ...forms].join(" or ")}`
