import { SchemaAST, SchemaIssue } from "effect"

/** A fault of a value, at a path of names and indices. */
export interface Fault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The values of a type, in the words of callers. A type whose name would be one of the program declares `expected`. */
const expectedOf = (ast: SchemaAST.AST): string => {
  const declared = ast.annotations?.["expected"]
  if (typeof declared === "string") return declared
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return "text"
  if (SchemaAST.isNumber(ast)) return "a number"
  if (SchemaAST.isBoolean(ast)) return "true or false"
  if (SchemaAST.isNull(ast)) return "null"
  if (SchemaAST.isArrays(ast)) return "an array"
  if (SchemaAST.isObjects(ast)) return "an object"
  if (SchemaAST.isLiteral(ast)) return String(ast.literal)
  return SchemaAST.isUnion(ast) ? oneOf(ast.types) : "another value"
}

const oneOf = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const literals = types.filter(SchemaAST.isLiteral).map(expectedOf)
  const texts = literals.length > 1 ? [`one of ${literals.join(", ")}`] : literals
  const others = types.filter((type) => !SchemaAST.isLiteral(type)).map(expectedOf)
  return [...new Set([...texts, ...others])].join(" or ")
}

/** The message that a schema declares for its type. */
const declaredMessage = ({ annotations }: SchemaAST.AST): string | undefined => {
  const message = annotations?.["message"]
  return typeof message === "string" ? message : undefined
}

const ofType = (ast: SchemaAST.AST): string => declaredMessage(ast) ?? `Expected ${expectedOf(ast)}`

/** The messages of faults without a type. Schemas declare others. */
const texts = { MissingKey: "This field is required", UnexpectedKey: "Unknown field" } as const

const ofLeaf = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "InvalidType") return ofType(issue.ast)
  if (issue._tag === "MissingKey") {
    return issue.annotations?.messageMissingKey ?? texts.MissingKey
  }
  if (issue._tag === "UnexpectedKey") {
    const declared = issue.ast.annotations?.["messageUnexpectedKey"]
    return typeof declared === "string" ? declared : texts.UnexpectedKey
  }
  return SchemaIssue.defaultLeafHook(issue)
}

const formatLeaf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ofLeaf })

/** A failed check names what it expects, or has a message. */
const ofCheck = (issue: SchemaIssue.Filter, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Fault> =>
  formatLeaf(issue).issues.map(({ message, path: inner = [] }) => ({
    path: [...path, ...inner.map((step) => typeof step === "object" ? step.key : step)],
    message
  }))

const isOfType = ({ _tag }: SchemaIssue.Issue): boolean => _tag === "InvalidType"

/**
 * The faults of a value that a schema refuses, in the words of callers: no message names a type of the program or of the
 * schema library. A value that no member of a union takes has one fault.
 */
export const faultsOf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey> = []): ReadonlyArray<Fault> => {
  switch (issue._tag) {
    case "Pointer":
      return faultsOf(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return faultsOf(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => faultsOf(inner, path))
    case "AnyOf":
      return issue.issues.every(isOfType)
        ? [{ path, message: ofType(issue.ast) }]
        : issue.issues.filter((inner) => !isOfType(inner)).flatMap((inner) => faultsOf(inner, path))
    case "Filter":
      return ofCheck(issue, path)
    default:
      return [{ path, message: ofLeaf(issue) }]
  }
}
