import { Effect, Result, type Scope } from "effect"
import { decodeFields, type Fields, invalid } from "../../input/decode.ts"
import type { Body, Operation } from "../../api/operation.ts"
import type { Failure } from "./application-failures.ts"
import { chargeRate, chargeRefusedBody } from "../auth/authenticate.ts"
import { MULTIPART, URLENCODED } from "../bodies/decode-body.ts"
import { formReader } from "../bodies/form-values.ts"
import { withoutEmptyTexts } from "../bodies/given-fields.ts"
import { normalizeSlip } from "../bodies/normalize-slip.ts"
import { type RequestDigests, requestDigests } from "../bodies/request-digests.ts"
import { type ReadBody, readBody, readOptionalBody, routeOf } from "./body.ts"
import { emptyTexts, knownFields } from "./declared-fields.ts"
import type { JsonReading } from "./body-type.ts"
import type { Exchange } from "../server/endpoint.ts"
import { PAGE_PARAMETERS, pageOfList, refuseUnknownParameters } from "./page.ts"
import { queryOf } from "../server/endpoint.ts"

type Decode<Input> = (input: Input) => Effect.Effect<unknown, Failure>

/** Decoders that an operation has in the place of its schemas. */
export interface Decoders {
  readonly decodeBody?: Decode<Fields>
  readonly decodeQuery?: Decode<URLSearchParams>
  /** In the place of the query's schema; unknown parameters are refused before. */
  readonly decodeFilter?: Decode<Fields>
}

/** An operation whose requests need more than its schemas, such as a rule about two fields, or errors of another form. */
export const decodedBy = <const Op extends Operation, const D extends Decoders>(
  operation: Op,
  decoders: D
): Op & D => ({
  ...operation,
  ...decoders
})

/** The digests of a body; those of a large one were computed with it. */
const digestsOf = (
  exchange: Exchange,
  received: ReadBody,
  fields: Fields,
  counted: Parameters<typeof requestDigests>[3]
): RequestDigests | undefined => {
  if (exchange.headers["idempotency-key"] === undefined) return undefined
  const { digest, formerDigest } = received
  return digest === undefined ? requestDigests(routeOf(exchange), received, fields, counted) : { digest, formerDigest }
}

/** How empty texts in JSON count: a POST of a branch leaves them out, a change refuses them. */
type EmptyTexts = "absent" | "refused" | "kept"

const bodyDecoder = (body: Body, decodeGiven: Decode<Fields>, empty: EmptyTexts, jsonReading: JsonReading) => {
  const { isBatch = false, isOptional, isSlip = false, json, limits, urlencoded } = body
  const forms = urlencoded === undefined ? [MULTIPART] : [MULTIPART, URLENCODED]
  const read = isOptional === true ? readOptionalBody : readBody
  const known = knownFields(body)
  const readForm = formReader(json)
  const emptyIn = emptyTexts(json)
  const fieldsOf = (received: ReadBody) => {
    if (isSlip) return normalizeSlip(received)
    if (received.isForm) return readForm(received.fields)
    return empty === "absent" ? withoutEmptyTexts(received.fields) : received.fields
  }
  const decodeBody = (fields: Fields): Effect.Effect<unknown, Failure> => {
    const issues = empty === "refused" ? emptyIn(fields) : []
    if (issues.length === 0) return decodeGiven(fields)
    const paths = new Set(issues.map(({ path }) => path))
    return Effect.flatMap(Effect.result(decodeGiven(withoutEmptyTexts(fields))), (others) => {
      const found = Result.isFailure(others) && others.failure._tag === "InvalidInput" ? others.failure.issues : []
      return Effect.fail(invalid(...issues, ...found.filter(({ path }) => !paths.has(path))))
    })
  }
  const options = { json: jsonReading, forms, limits, isSlip, known }
  return (exchange: Exchange, owner: string, scope: Scope.Scope) =>
    chargeRefusedBody(owner).pipe(
      Effect.flatMap((onTooComplex) => read(exchange, { ...options, owner, onTooComplex }, scope)),
      Effect.flatMap((received) => {
        const fields = fieldsOf(received)
        const digests = digestsOf(exchange, received, fields, { isSlip, known })
        const decoded = Effect.map(decodeBody(fields), (body) => ({ digests, body }))
        return isBatch && Array.isArray(fields["slips"])
          ? Effect.andThen(chargeRate(owner, fields["slips"].length - 1, exchange.answerHeaders), decoded)
          : decoded
      })
    )
}

const NO_BODY = { digests: undefined, body: undefined }
const NO_QUERY = { query: undefined, list: undefined, page: undefined }

/** Decides which value of a repeated query parameter counts. It must not change: callers rely on it. */
export type ReadQuery = (search: URLSearchParams) => Fields

export const firstValues: ReadQuery = (search) => Object.fromEntries([...search].reverse())
export const lastValues: ReadQuery = (search) => Object.fromEntries(search)

const emptyTextsOf = (method: Operation["method"], isForBranches: boolean): EmptyTexts => {
  if (method === "PATCH" || method === "PUT") return "refused"
  return isForBranches ? "absent" : "kept"
}

/** Decodes requests as an operation declares. */
export const requestDecoder = (operation: Operation & Decoders, readQuery: ReadQuery, isForBranches: boolean) => {
  const { body, decodeBody, decodeFilter, decodeQuery, isPaged, method, pageLimit, path, query } = operation
  const decodeQueryFields = decodeFilter ?? (query === undefined ? undefined : decodeFields(query))
  const refuseUnknown = refuseUnknownParameters([
    ...(isPaged === true ? PAGE_PARAMETERS : []),
    ...Object.keys(query?.fields ?? {})
  ])
  const decodeKnownQuery = (search: URLSearchParams): Effect.Effect<unknown, Failure> =>
    Effect.flatMap(refuseUnknown(search), () => decodeQueryFields?.(readQuery(search)) ?? Effect.undefined)
  const hasQuery = query !== undefined || isPaged === true
  const decodeQueryInput = decodeQuery ?? decodeKnownQuery
  // A key decides about a branch, and never a cookie: no other site can send such a body for a person.
  const jsonReading = isForBranches ? "guessed" : "declared"
  const decodeBodyInput = body === undefined
    ? undefined
    : bodyDecoder(body, decodeBody ?? decodeFields(body.json), emptyTextsOf(method, isForBranches), jsonReading)
  const decodeUrl = Effect.fnUntraced(function* (exchange: Exchange, owner: string) {
    const query = yield* decodeQueryInput(queryOf(exchange))
    const list = isPaged === true ? { route: `${method} ${path}`, owner, params: exchange.params, query } : undefined
    const page = list === undefined ? undefined : yield* pageOfList(exchange, list, pageLimit)
    return { query, list, page }
  })
  return (exchange: Exchange, owner: string, scope: Scope.Scope) =>
    Effect.flatMap(hasQuery ? decodeUrl(exchange, owner) : Effect.succeed(NO_QUERY), (asked) =>
      Effect.map(
        decodeBodyInput === undefined ? Effect.succeed(NO_BODY) : decodeBodyInput(exchange, owner, scope),
        (sent) => ({
          exchange,
          correlationId: exchange.requestId,
          clientRequestId: exchange.clientRequestId,
          params: exchange.params,
          ...asked,
          ...sent
        })
      ))
}
