import { Schema, SchemaAST } from "effect"
import type { Body, Operation, Wire } from "../operation.ts"
import type { Version } from "../version.ts"
import { callbackReference } from "./callback.ts"
import type { OperationObject, ParameterObject, RequestBody } from "./document-types.ts"
import { parameterReference } from "./headers.ts"
import { responses } from "./responses.ts"
import type { Schemas } from "./schemas.ts"

const queryParameter = (name: string, field: Wire, schemas: Schemas): ParameterObject => {
  const { description = "", examples: [example] = [] } = Schema.resolveAnnotationsKey(field) ?? {}
  return {
    name,
    in: "query",
    required: !SchemaAST.isOptional(field.ast),
    description,
    schema: schemas.of(field),
    ...(typeof example === "string" ? { example } : {})
  }
}

const pageParameters = (schemas: Schemas): ReadonlyArray<ParameterObject> => [
  {
    name: "cursor",
    in: "query",
    required: false,
    description: "`nextCursor` of the page before; without it the list begins.",
    schema: schemas.of(Schema.String)
  },
  {
    name: "limit",
    in: "query",
    required: false,
    description: "Most entries of the page.",
    schema: schemas.of(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })).annotate({ default: 50 }))
  }
]

const parametersOf = ({ isPaged, params = {}, query }: Operation, schemas: Schemas): ReadonlyArray<ParameterObject> => [
  ...Object.entries(params).map(([name, { description, example }]): ParameterObject => ({
    name,
    in: "path",
    required: true,
    description,
    schema: schemas.of(Schema.String),
    ...(example === undefined ? {} : { example })
  })),
  ...Object.entries(query?.fields ?? {}).map(([name, field]) => queryParameter(name, field, schemas)),
  ...(isPaged === true ? pageParameters(schemas) : [])
]

const requestBody = (
  { examples, form, isOptional = false, json, urlencoded }: Body,
  schemas: Schemas
): RequestBody => ({
  required: !isOptional,
  content: {
    "application/json": { schema: schemas.of(json), examples },
    ...(form === undefined ? {} : { "multipart/form-data": { schema: schemas.of(form) } }),
    ...(urlencoded === undefined ? {} : { "application/x-www-form-urlencoded": { schema: schemas.of(urlencoded) } })
  }
})

/** An operation as the document has it. */
export const operationObject = <Code extends string>(
  operationId: string,
  operation: Operation<Code>,
  version: Version<Code>,
  schemas: Schemas
): OperationObject => {
  const { body, callsBack, description, isKeyed, isOpen, summary, tag } = operation
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isOpen === true ? { security: [] } : {}),
    parameters: [
      ...parametersOf(operation, schemas),
      ...(isKeyed === true ? [parameterReference("IdempotencyKey")] : []),
      parameterReference("RequestId")
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responses(operation, version, schemas),
    ...(callsBack === true ? { callbacks: callbackReference } : {})
  }
}
