import { Effect } from "effect"
import { isInForce, listKeys } from "../../../../application/provisioning/keys.ts"
import type { KeyView } from "../../../../application/views/keys.ts"
import { allScopes } from "../../../../domain/api-key.ts"
import { type Content, markup, raw, table } from "../../pages/html.ts"
import type { Fields } from "../../input/decode.ts"
import { networksIn, scopesIn } from "../../input/key-requests.ts"
import { secretsPage } from "../components.ts"
import { keyStateTag, MAX_KEYS_SHOWN } from "../../pages/key-state.ts"
import { timeView } from "../../pages/times.ts"
import { fieldNameOf } from "../../pages/error-page.ts"
import { issueText } from "../error-pages.ts"
import { action } from "../action.ts"
import { confirmedAction, dangerousAction, fieldView, formPage, issuesView } from "../forms.ts"
import { timeInput } from "../../pages/forms.ts"
import { branchOf, idOf, type PageContext, pathTo } from "../page-context.ts"

/** What an operator types to revoke a key. The default key has no name. */
export const typedNameOf = ({ id, name }: KeyView): string => name ?? id

const actionsOf = (context: PageContext, branchId: string, key: KeyView): Content => {
  const { id, state } = key
  const { keys: text } = context.messages
  const action = (name: string) => pathTo("branches", branchId, "keys", id, name)
  return markup`<div class="row">${
    state === "active"
      ? confirmedAction(context, { label: text.rotate, hint: text.rotateHint, action: action("rotate") })
      : undefined
  }${
    isInForce(key)
      ? dangerousAction(context, {
        label: text.revoke,
        hint: text.revokeHint,
        action: action("revoke"),
        name: typedNameOf(key)
      })
      : undefined
  }</div>`
}

/** The API keys of a branch, the newest first, with their actions. */
export const keysSection = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const { items, nextCursor } = yield* listKeys(branchId, { limit: MAX_KEYS_SHOWN })
  const { messages } = context
  const { common, keys: text } = messages
  const rows = items.map((key) => [
    markup`${key.name ?? text.isDefault}<br><code>${key.id}</code>`,
    key.scopes.join(", "),
    keyStateTag(text.states, key.state),
    key.expiresAt === null ? text.never : timeView(messages, key.expiresAt),
    key.networks === null ? text.asBranch : markup`<span class="any">${key.networks.join(", ")}</span>`,
    key.lastUsedOn ?? text.unused,
    actionsOf(context, branchId, key)
  ])
  const newKeyPath = pathTo("branches", branchId, "new-key")
  const newLinkPath = pathTo("branches", branchId, "new-sign-in-link")
  const headings = [common.name, text.scopes, common.state, text.expires, text.networks, text.lastUsed, text.actions]
  return markup`<section class="card"><h2>${text.title}</h2><p class="hint">${text.hint}</p>${
    table(text.title, headings, rows)
  }${nextCursor === null ? undefined : markup`<p class="hint">${text.more}</p>`}${
    context.may(newKeyPath)
      ? markup`<p class="row"><a class="button" href="${newKeyPath}">${text.create}</a>
<a class="button" href="${newLinkPath}">${messages.signInLinks.create}</a></p>`
      : undefined
  }</section>`
})

/** The boxes of the scopes. They keep their state in a rejected form. */
export const scopeBoxes = ({ fields, issues, messages }: PageContext): Content => {
  const { keys: text } = messages
  const wrong = issues.filter((issue) => fieldNameOf(issue) === "scopes")
  return markup`<fieldset class="field"><legend>${text.scopes}</legend>${
    allScopes.map((scope) =>
      markup`<p><label><input type="checkbox" name="${scope}" value="1"${
        raw(fields[scope] === undefined ? "" : " checked")
      }> ${text.scopeLabels[scope]}</label></p>`
    )
  }${wrong.map((issue) => markup`<p class="error">${issueText(messages, issue)}</p>`)}</fieldset>`
}

/** The form for a new key of a branch. */
export const newKeyPage = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* branchOf(context)
  const { common, keys: text } = context.messages
  const field = (name: string, label: string, hint: string, kind?: "lines" | "time") =>
    fieldView(context, { name, label, hint, ...(kind === undefined ? { isRequired: name === "name" } : { kind }) })
  return formPage(context, text.create, {
    above: [pathTo("branches", branch.id), branch.name],
    action: pathTo("branches", branch.id, "new-key"),
    fields: [
      issuesView(context, ["name", "scopes", "expiresAt", "networks"]),
      field("name", common.name, text.nameHint),
      scopeBoxes(context),
      field("expiresAt", text.expires, text.expiresHint, "time"),
      field("networks", text.networksField, text.networksHint, "lines")
    ]
  })
})

/** The form's fields as the admin API takes them. */
const keyInput = ({ expiresAt, name = "", networks, ...boxes }: Fields): Fields => {
  const entries = networksIn(networks)
  return {
    name,
    expiresAt: timeInput(expiresAt),
    scopes: scopesIn(boxes),
    networks: entries.length === 0 ? null : entries
  }
}

/** The id of the key in the page's path. */
export const keyIdOf = ({ params: [, id = ""] }: PageContext): string => id.toLowerCase()

/** The new key is in the answer only. */
export const keyActions = {
  "branches/:/new-key": action("createApiKey", {
    page: newKeyPage,
    body: keyInput,
    show: (context, { apiKey, name }) =>
      secretsPage(context, pathTo("branches", idOf(context)), [[context.messages.common.name, name ?? ""]], { apiKey })
  }),
  "branches/:/keys/:/rotate": action("rotateApiKey", {
    show: (context, { apiKey, name, previousExpiresAt }) => {
      const { messages, pagePath } = context
      const { common, keys: text } = messages
      const about = [
        [common.name, name ?? text.isDefault],
        [text.previousUntil, timeView(messages, previousExpiresAt)]
      ] as const
      return secretsPage(context, pagePath, about, { apiKey })
    }
  })
}
