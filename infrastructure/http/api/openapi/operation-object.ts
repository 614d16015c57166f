import type { Body, Operation, Parameter } from "../operation.ts"
import type { Version } from "../version.ts"
import { callbackReference } from "./callback.ts"
import type { OperationObject, ParameterObject, RequestBody } from "./document-types.ts"
import { parameterReference } from "./headers.ts"
import { responses } from "./responses.ts"
import type { Schemas } from "./schemas.ts"

const parameterObject = (
  { description, example, in: where, isRequired: required, name, schema }: Parameter,
  schemas: Schemas
): ParameterObject => ({
  name,
  in: where,
  required,
  description,
  schema: schemas.of(schema),
  ...(example === undefined ? {} : { example })
})

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
  const { body, callsBack, description, isKeyed, isOpen, parameters = [], summary, tag } = operation
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isOpen === true ? { security: [] } : {}),
    parameters: [
      ...parameters.map((parameter) => parameterObject(parameter, schemas)),
      ...(isKeyed === true ? [parameterReference("IdempotencyKey")] : []),
      parameterReference("RequestId")
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responses(operation, version, schemas),
    ...(callsBack === true ? { callbacks: callbackReference } : {})
  }
}
