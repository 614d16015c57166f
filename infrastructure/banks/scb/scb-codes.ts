import { concernsGateway } from "../upstream/answer.ts"

/** What a code of SCB means for whoever asked about a slip. */
export interface Meaning {
  /** For a person, behind "SCB answered code …:". */
  readonly why: string
  /** As in `NoStatement`. */
  readonly concerns: "gateway" | "slip"
}

/** The slip was found. */
export const FOUND = 1000

/** SCB has no such slip; a statement only together with HTTP 404. */
export const NO_SUCH_RECORD = 1104

/** The token is no longer good. */
export const TOKEN_EXPIRED = 9300

/**
 * Codes of SCB's Open API that are no statement on a slip (field notes, "SCB Open API"); one that is not on the list is
 * none either. Codes that one slip can bring about concern that slip; those of keys, rights and servers the gateway.
 */
export const meaningOf = (code: number, status: number): Meaning =>
  meanings[code]
    ?? { why: "what that means is not known", concerns: concernsGateway(status) ? "gateway" : "slip" }

const malformed: Meaning = { why: "it does not take the question as it was put", concerns: "slip" }
const overloaded: Meaning = { why: "it is in trouble", concerns: "gateway" }

const meanings: Readonly<Record<number, Meaning>> = {
  1101: malformed,
  1102: malformed,
  1103: malformed,
  1105: malformed,
  1111: { why: "it takes the question for a repeated one", concerns: "slip" },
  [NO_SUCH_RECORD]: { why: "no such slip, but without the status that belongs to it", concerns: "slip" },
  4101: { why: "it does not serve this channel", concerns: "gateway" },
  8101: { why: "the systems behind it gave it no good answer", concerns: "slip" },
  8102: { why: "its payment system gave it an error", concerns: "slip" },
  8901: overloaded,
  8902: overloaded,
  9100: { why: "the credentials are refused; check SCB_API_KEY and SCB_API_SECRET", concerns: "gateway" },
  [TOKEN_EXPIRED]: { why: "it takes no token, not even a fresh one", concerns: "gateway" },
  9500: { why: "the API key is refused; check SCB_API_KEY", concerns: "gateway" },
  9503: { why: "the application has no right to ask about slips; SCB's portal can grant it", concerns: "gateway" },
  9700: overloaded,
  9900: overloaded
}
