import { type Content, markup } from "../../infrastructure/web/pages/html.ts"
import { indexed } from "../../infrastructure/web/docs/ranking.js"
import type { DocPage } from "./doc-page.ts"
import { operationView, type ReferenceContext } from "./operation-view.ts"
import { errorsOf, groupsOf, type OperationGroup, type PlacedOperation } from "./placed-operations.ts"
import { markdown, markdownLine } from "./schema-view.ts"

/** The path of a group's page below the base. */
export const groupPath = ({ slug }: OperationGroup): string => `/reference/${slug}`

const propertyNames = ({ operation }: PlacedOperation, { references }: ReferenceContext): ReadonlyArray<string> => {
  const parameters = (operation.parameters ?? []).map((parameter) => references.parameter(parameter).name)
  const bodies = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
    Object.keys(references.schema(schema).properties ?? {})
  )
  return [...parameters, ...bodies]
}

const operationEntry = (
  placed: PlacedOperation,
  group: OperationGroup,
  context: ReferenceContext
): DocPage["entries"][number] => {
  const { method, operation: { description, operationId, summary }, path } = placed
  const codes = errorsOf(placed.operation, context.document, context.references).filter(({ isShared }) => !isShared)
  const words = [description, group.name, ...propertyNames(placed, context), ...codes.map(({ code }) => code)]
  return {
    url: `${context.base}${groupPath(group)}#${operationId}`,
    kind: "Operation",
    title: summary,
    detail: `${method.toUpperCase()} ${path}`,
    id: operationId,
    names: indexed(`${summary} ${operationId} ${path}`),
    words: indexed(words.join(" "))
  }
}

const groupPage = (group: OperationGroup, context: ReferenceContext): DocPage => {
  const { description, name, operations } = group
  return {
    path: groupPath(group),
    title: name,
    language: "en",
    section: "Reference",
    headings: operations.map(({ method, operation: { operationId, summary } }) => ({
      id: operationId,
      text: summary,
      method
    })),
    content: markup`<h1>${name}</h1><p class="lead">${markdownLine(description)}</p>${
      operations.map((operation) => operationView(operation, context))
    }`,
    entries: [
      {
        url: context.base + groupPath(group),
        kind: "Reference",
        title: name,
        detail: description,
        names: indexed(name),
        words: indexed(description)
      },
      ...operations.map((operation) => operationEntry(operation, group, context))
    ]
  }
}

/** What holds for all operations: requests, answers, authentication and headers. */
export const conventions = ({ document: { components, info } }: ReferenceContext): Content => {
  const [scheme] = Object.values(components.securitySchemes)
  return markup`${markdown(info.description)}<h2 id="authentication">Authentication</h2>${
    markdown(scheme?.["description"] ?? "")
  }<h2 id="headers">Headers of answers</h2><dl class="fields">${
    Object.entries(components.headers).map(([name, header]) =>
      markup`<dt><code>${name}</code></dt><dd><p>${markdownLine(header.description)}</p></dd>`
    )
  }</dl>`
}

/** One page for each group of operations. */
export const makeGroupPages = (context: ReferenceContext): ReadonlyArray<DocPage> =>
  groupsOf(context.document, context.references).map((group) => groupPage(group, context))

/** The page about what all operations have in common. `path` is below the base. */
export const makeConventionsPage = (context: ReferenceContext, path: string, title: string): DocPage => ({
  path,
  title,
  language: "en",
  section: "Reference",
  headings: [
    { id: "authentication", text: "Authentication" },
    { id: "headers", text: "Headers of answers" }
  ],
  content: markup`<h1>${title}</h1><p class="lead">${context.document.info.summary}</p>${conventions(context)}`,
  entries: [
    {
      url: context.base + path,
      kind: "Reference",
      title,
      detail: "Requests, answers, authentication, headers",
      names: indexed(`${title} authentication headers authorization bearer`),
      words: indexed(context.document.info.description)
    },
    ...Object.entries(context.document.components.headers).map(([name, { description }]) => ({
      url: `${context.base}${path}#headers`,
      kind: "Header",
      title: name,
      detail: description,
      names: indexed(name),
      words: indexed(description)
    }))
  ]
})
