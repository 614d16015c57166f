import { Effect, Layer, type Scope } from "effect"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import type { Act } from "../../../../domain/permissions.ts"
import type { Operator } from "../../../../application/operators/require-act.ts"
import type { Caller } from "../../../../application/provisioning/callers.ts"
import { withVisibility } from "../../../../application/provisioning/operator-command.ts"
import type { AdminAuth } from "../auth/admin-auth.ts"
import type { ApiError, V1Code, V1Error, V2Code } from "../../api/failures.ts"
import type { BranchOperation, Operation, Success } from "../../api/operation.ts"
import type { BodyOf, ParamsOf, QueryOf } from "../../api/request-types.ts"
import type { OperatorRequest } from "../../operators/handler.ts"
import {
  type AdminFailureWith,
  type Failure,
  type FailureWith,
  toAdminError,
  toApiError,
  toV1Error,
  unavailable
} from "./application-failures.ts"
import { chargeRate, identify } from "../auth/authenticate.ts"
import type { RequestDigests } from "../bodies/request-digests.ts"
import { type Decoders, firstValues, lastValues, type ReadQuery, requestDecoder } from "./decode-request.ts"
import { endpoints, type Exchange } from "../server/endpoint.ts"
import { type AnswerOf, notVisibleYet, replyOf, sealedPage } from "./operation-reply.ts"
import { type pageOfList, requestsOfPage } from "./page.ts"
import { publicOrigin } from "../server/public-url.ts"
import { SandboxMark } from "./sandbox-mark.ts"
import { type Envelope, FileAnswer, sendFile, v1Envelope, v2Envelope } from "../server/reply.ts"
import { VaultError } from "../../../../ports/vault.ts"

type Page = Effect.Success<ReturnType<typeof pageOfList>>

/** A request of an operation, decoded as the operation declares. */
interface RequestOf<Op extends Operation> {
  readonly exchange: Exchange
  /** The request's id, which all its events carry. */
  readonly correlationId: string
  /** The caller's own id of the request, which its events carry too. */
  readonly clientRequestId: string | undefined
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly page: Op extends { readonly isPaged: true } ? Page : undefined
  /** The digests of the body for an `Idempotency-Key`; undefined without that header. */
  readonly digests: RequestDigests | undefined
  readonly body: BodyOf<Op>
}

/** A request with the caller of its API key; undefined when the operation needs no key. */
export interface BranchRequestOf<Op extends Operation> extends RequestOf<Op> {
  readonly caller: Op extends { readonly isOpen: true } ? undefined : Caller
}

/** The actor and the request ids, when a branch changes its own data. */
export const branchOperation = (
  { caller: { actor }, clientRequestId, correlationId }: Omit<RequestIds, "actor"> & { readonly caller: Caller }
): RequestIds => ({ actor, correlationId, clientRequestId })

type DecodedRequest = Omit<Effect.Success<ReturnType<ReturnType<typeof requestDecoder>>>, "list">

/** The answers of one version of the API. */
interface Version<F, E, A> {
  readonly envelope: Envelope<E, A>
  readonly toError: (failure: F | Failure) => E
  readonly reply: (success: Success, data: unknown) => A
  readonly readQuery: ReadQuery
  /** Whether callers are branches, not operators. */
  readonly isForBranches: boolean
}

/** The owner of bodies that no branch sends, for the budgets. */
const OPERATORS = "operators"

const ownerOf = (auth: Caller | Operator | undefined): string =>
  auth !== undefined && "branchId" in auth ? auth.branchId : OPERATORS

/** Makes the route of an operation: it authenticates, decodes, and handles the request, in this order. */
const operationRoute = <F, E, A>({ envelope, isForBranches, readQuery, reply, toError }: Version<F, E, A>) => {
  const route = endpoints(envelope)
  return <Auth extends Caller | Operator | undefined, R1, R2>(
    operation: Operation & Decoders,
    authenticate: (exchange: Exchange) => Effect.Effect<Auth, F | Failure, R1>,
    handle: (request: DecodedRequest, auth: Auth) => Effect.Effect<unknown, F | Failure, R2>,
    prefix: "" | "/api" = ""
  ) => {
    const { body, method, path, refusesHead, success } = operation
    const decode = requestDecoder(operation, readQuery, isForBranches)
    const serve = Effect.fnUntraced(
      function* (exchange: Exchange, scope: Scope.Scope) {
        if (isForBranches && (yield* SandboxMark)) exchange.answerHeaders["x-sandbox"] = "true"
        const auth = yield* authenticate(exchange)
        const owner = ownerOf(auth)
        const { list, ...request } = yield* decode(exchange, owner, scope)
        if (isForBranches && request.page !== undefined) {
          yield* chargeRate(owner, requestsOfPage(request.page.limit) - 1, exchange.answerHeaders)
        }
        const data = yield* handle(request, auth)
        if (data instanceof FileAnswer) {
          return sendFile(data, { requestId: exchange.requestId, headers: exchange.answerHeaders })
        }
        return reply(success, list === undefined ? data : yield* sealedPage(list, data))
      },
      (answer, { requestId }) => failWithoutKeys(answer, requestId),
      Effect.mapError(toError)
    )
    return route(
      method,
      `${prefix}${path}`,
      (exchange) =>
        refusesHead === true && exchange.request.method === "HEAD"
          ? Effect.fail(envelope.notFound)
          : Effect.scopedWith((scope) => serve(exchange, scope)),
      body?.maxBytes === undefined ? {} : { bodyBytes: body.maxBytes }
    )
  }
}

const v2Route = operationRoute({
  envelope: v2Envelope,
  toError: toApiError,
  reply: replyOf,
  readQuery: firstValues,
  isForBranches: true
})
const adminRoute = operationRoute({
  envelope: v2Envelope,
  toError: toAdminError,
  reply: replyOf,
  readQuery: lastValues,
  isForBranches: false
})
const v1Route = operationRoute({
  envelope: v1Envelope,
  toError: toV1Error,
  reply: (_, data) => ({ data }),
  readQuery: firstValues,
  isForBranches: true
})

/** Makes the check of callers of an operation; an open one has none. */
const authenticated = ({ scopes }: BranchOperation) => (exchange: Exchange) =>
  scopes === undefined ? Effect.undefined : identify(exchange, scopes)

/** The route of an operation of v2. The handler may fail only with what the operation declares. */
export const v2Endpoint = <const Op extends BranchOperation<V2Code>, R>(
  operation: Op,
  handle: (request: BranchRequestOf<Op>) => Effect.Effect<AnswerOf<Op>, FailureWith<Op["codes"][number]>, R>
) =>
  v2Route(
    operation,
    authenticated(operation),
    // The declaration gives the request's type.
    (request, caller) => handle({ ...request, caller } as BranchRequestOf<Op>)
  )

/** The routes of an operation of v1: at its path and at the alias below `/api`. */
export const v1Endpoint = <const Op extends BranchOperation<V1Code>, R>(
  operation: Op,
  handle: (request: BranchRequestOf<Op>) => Effect.Effect<AnswerOf<Op>, Failure | V1Error, R>
) => {
  const at = (prefix: "" | "/api") =>
    v1Route(
      operation,
      authenticated(operation),
      (request, caller) => handle({ ...request, caller } as BranchRequestOf<Op>),
      prefix
    )
  return Layer.merge(at(""), at("/api"))
}

/** A request to the admin API. */
export interface AdminRequestOf<Op extends Operation> extends OperatorRequest<Op> {
  readonly exchange: Exchange
  /** Fails when the operator may not do this further act. */
  readonly requireAct: (act: Act) => ReturnType<AdminAuth["requireAct"]>
}

interface AdminChecks<R> extends Pick<AdminAuth, "requireAct"> {
  /** The operator of a request; fails without a token. */
  readonly authorize: (exchange: Exchange) => Effect.Effect<Operator, ApiError, R>
}

const requestIdsOf = ({ clientRequestId, requestId }: Exchange, { name }: Operator): RequestIds => ({
  actor: { kind: "admin", id: "api", operator: name },
  correlationId: requestId,
  clientRequestId
})

/** The route of an operation of the admin API. The role is checked before the request is read. */
export const adminEndpoint = <const Op extends Operation<V2Code>, R1, R2>(
  operation: Op,
  act: Act,
  { authorize, requireAct }: AdminChecks<R1>,
  handle: (request: AdminRequestOf<Op>) => Effect.Effect<AnswerOf<Op>, AdminFailureWith<Op["codes"][number]>, R2>
) =>
  adminRoute(
    operation,
    (exchange) =>
      Effect.tap(authorize(exchange), (operator) => requireAct("api", operator, act, requestIdsOf(exchange, operator))),
    ({ body, exchange, page, params, query }, operator) => {
      const ids = requestIdsOf(exchange, operator)
      return Effect.map(
        withVisibility(handle({
          exchange,
          params,
          query,
          page,
          body,
          id: (params["id"] ?? "").toLowerCase(),
          ids,
          operator,
          linkOrigin: publicOrigin(exchange),
          requireAct: (further) => requireAct("api", operator, further, ids)
        } as AdminRequestOf<Op>)),
        ({ isVisible, value }) => isVisible ? value : notVisibleYet(value)
      )
    }
  )

/** While the keys of subjects cannot be read, a request fails as without a store. */
const failWithoutKeys = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  requestId: string
): Effect.Effect<A, E | ApiError, R> =>
  Effect.catchDefect(
    request,
    (defect) =>
      defect instanceof VaultError && defect.reason === "not-read"
        ? Effect.logError("A request failed: the keys of subjects cannot be read", defect).pipe(
          Effect.annotateLogs({ requestId }),
          Effect.andThen(Effect.fail(unavailable()))
        )
        : Effect.die(defect)
  )
