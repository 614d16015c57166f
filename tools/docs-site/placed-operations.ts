import type { Document, OperationObject, ResponseObject } from "../../infrastructure/web/api/openapi/document-types.ts"
import { v1Failures, v2Failures } from "../../infrastructure/web/api/failures.ts"
import type { References } from "./schema-view.ts"

const METHODS = ["get", "post", "put", "patch", "delete"] as const

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: string
  /** Callbacks have no path of this API: it is then a description such as "your callbackUrl". */
  readonly path: string
  readonly operation: OperationObject
}

/** The operations of one tag, which one page shows. */
export interface OperationGroup {
  readonly name: string
  /** The last part of the page's path, such as `bank-accounts`. */
  readonly slug: string
  readonly description: string
  readonly operations: ReadonlyArray<PlacedOperation>
}

/** One failure of an operation. */
export interface ErrorRow {
  readonly status: string
  readonly code: string
  readonly meaning: string
  /** Whether the answer may have `Retry-After`. */
  readonly isRetryable: boolean
  /** Whether every operation with a key has it. */
  readonly isShared: boolean
}

/** Whether callers call it: callbacks are called by the service. */
export const isCallable = ({ path }: PlacedOperation): boolean => path.startsWith("/")

const operationsOf = (document: Document): ReadonlyArray<PlacedOperation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method, path, operation }]
    })
  )

/** The callbacks that the service sends. */
const callbacksOf = ({ webhooks }: Document, references: References): ReadonlyArray<PlacedOperation> =>
  Object.values(webhooks).flatMap((item) => {
    const { post } = references.pathItem(item)
    return post === undefined ? [] : [{ method: "post", path: "your callbackUrl", operation: post }]
  })

const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(" ", "-")

/** The operations of a document by tag, in the document's order. */
export const groupsOf = (document: Document, references: References): ReadonlyArray<OperationGroup> => {
  const placed = [...operationsOf(document), ...callbacksOf(document, references)]
  return document.tags.map(({ description, name }) => ({
    name,
    slug: slugOf(name),
    description,
    operations: placed.filter(({ operation: { tags = [] } }) => tags.includes(name))
  }))
}

const isSuccess = (status: string): boolean => status.startsWith("2")

/** The success of an operation. */
export const successOf = (
  { responses }: OperationObject,
  references: References
): readonly [status: string, response: ResponseObject] | undefined => {
  const found = Object.entries(responses).find(([status]) => isSuccess(status))
  return found === undefined ? undefined : [found[0], references.response(found[1])]
}

const codesOf = (response: ResponseObject): ReadonlyArray<readonly [code: string, meaning: string]> =>
  Object.entries(response.content?.["application/json"]?.examples ?? {}).map(([code, { summary }]) => [code, summary])

/** The codes that the shared responses of a document have. */
const sharedCodes = (document: Document): ReadonlySet<string> =>
  new Set(Object.values(document.components.responses).flatMap(codesOf).map(([code]) => code))

/** The codes whose answers may have `Retry-After`. A response names the header for all of its codes together. */
const retryableCodes = new Set(
  [...Object.entries(v2Failures), ...Object.entries(v1Failures)].filter(([, row]) => "isRetryable" in row).map((
    [code]
  ) => code)
)

/** All failures of an operation by status. */
export const errorsOf = (
  { responses }: OperationObject,
  document: Document,
  references: References
): ReadonlyArray<ErrorRow> => {
  const shared = sharedCodes(document)
  return Object.entries(responses).filter(([status]) => !isSuccess(status)).flatMap(([status, found]) => {
    const response = references.response(found)
    return codesOf(response).map(([code, meaning]) => ({
      status,
      code,
      meaning,
      isRetryable: retryableCodes.has(code),
      isShared: shared.has(code)
    }))
  })
}
