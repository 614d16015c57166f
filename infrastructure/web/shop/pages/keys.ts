import { Effect } from "effect"
import {
  createKey,
  findKey,
  isInForce,
  listKeys,
  revokeKey,
  rotateKey
} from "../../../../application/provisioning/keys.ts"
import type { KeyView } from "../../../../application/views/keys.ts"
import { allScopes, keyIdOf } from "../../../../domain/api-key.ts"
import { isoTime, parseTimeInBangkok } from "../../../../domain/time.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { decodeApiKey, keyFaults, networksIn, scopesIn } from "../../input/key-requests.ts"
import { type Content, type Html, markup, raw, redirect, tag } from "../../pages/html.ts"
import { keyStateTag, MAX_KEYS_SHOWN } from "../../pages/key-state.ts"
import { timeView } from "../../pages/times.ts"
import {
  actionForm,
  doneBanner,
  fieldView,
  KEYS_PATH,
  overlapField,
  overlapIn,
  scopesText,
  secretPage,
  settingsSubpage
} from "../components.ts"
import { fieldNameOf } from "../../pages/error-page.ts"
import { issueText } from "../error-pages.ts"
import { formAction, pathTo, requestIdsOf, scoped, type ShopContext } from "../page-context.ts"
import { openLinksView } from "./open-links.ts"

const nameOf = ({ messages: { settings: { keys } } }: ShopContext, { name }: KeyView): string => name ?? keys.isDefault

const isInUse = ({ caller: { key } }: ShopContext, { id }: KeyView): boolean => keyIdOf(key.digest) === id

const actionsOf = (context: ShopContext, key: KeyView): Content => {
  if (!isInForce(key)) return undefined
  const { keys: text } = context.messages.settings
  const link = (action: "rotate" | "revoke", label: string): Html =>
    markup`<a class="button" href="${pathTo("settings", "keys", key.id, action)}">${label}<span class="unseen">: ${
      nameOf(context, key)
    }</span></a>`
  return markup`<div class="row">${key.state === "active" ? link("rotate", text.rotate) : undefined}${
    link("revoke", text.revoke)
  }</div>`
}

const keyView = (context: ShopContext, key: KeyView): Html => {
  const { messages } = context
  const { keys: text, never } = messages.settings
  return markup`<li><p class="line"><b class="any">${nameOf(context, key)}</b>${
    isInUse(context, key) ? tag(text.inUse) : undefined
  }${keyStateTag(text.states, key.state)}</p><p>${text.scopes}: ${scopesText(context, key.scopes)}</p>${
    key.networks === null
      ? undefined
      : markup`<p>${text.networks}: <span class="any">${key.networks.join(", ")}</span></p>`
  }<p class="hint">${text.lastUsed}: ${key.lastUsedOn ?? text.unused} · ${text.expires}: ${
    key.expiresAt === null ? never : timeView(messages, key.expiresAt)
  } · <code>${key.id}</code></p>${actionsOf(context, key)}</li>`
}

/** The boxes of the scopes that the key of the session has. They keep their state in a rejected form. */
export const scopeBoxes = ({ fields, issues, may, messages }: ShopContext): Html => {
  const { keys: text } = messages.settings
  const wrong = issues.filter((issue) => fieldNameOf(issue) === "scopes")
  return markup`<fieldset class="boxes"><legend>${text.scopes}</legend>${
    allScopes.filter(may).map((scope) =>
      markup`<label><input type="checkbox" name="${scope}" value="1"${
        raw(fields[scope] === undefined ? "" : " checked")
      }> ${text.scopeLabels[scope]}</label>`
    )
  }${wrong.map((issue) => markup`<p class="error">${issueText(messages, issue)}</p>`)}</fieldset>`
}

/** Banners for the issues at some paths that have no field in the form; at `""` for issues of the whole form. */
export const formIssues = ({ issues, messages }: ShopContext, ...paths: ReadonlyArray<string>): Content =>
  issues.filter(({ path }) => paths.includes(path)).map((issue) =>
    markup`<p class="banner bad" role="alert">${issueText(messages, issue)}</p>`
  )

const newKeyForm = (context: ShopContext): Html => {
  const { keys: text } = context.messages.settings
  return markup`<section class="card"><h2>${text.create}</h2>${formIssues(context, "")}${
    actionForm(
      context,
      KEYS_PATH,
      fieldView(context, { name: "name", label: text.name, hint: text.nameHint, isRequired: true }),
      scopeBoxes(context),
      fieldView(context, { name: "expiresAt", label: text.expires, hint: text.expiresHint, kind: "date" }),
      fieldView(context, { name: "networks", label: text.networksField, hint: text.networksHint, kind: "lines" }),
      markup`<p><button class="primary">${text.create}</button></p>`
    )
  }</section>`
}

/** The keys of the branch, the newest first, and the form for a new one. */
export const keysPage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages: { settings } } = context
  const { keys: text } = settings
  const { items, nextCursor } = yield* listKeys(branchId, { limit: MAX_KEYS_SHOWN })
  const openLinks = yield* openLinksView(context)
  return settingsSubpage(context, {
    title: text.title,
    content: markup`${doneBanner(context)}<p>${text.about}</p><p><a class="button primary" href="${
      pathTo("settings", "keys", "sign-in-link")
    }">${settings.links.create}</a></p><ul class="rows card">${items.map((key) => keyView(context, key))}</ul>${
      nextCursor === null ? undefined : markup`<p class="hint">${text.more}</p>`
    }${openLinks}${newKeyForm(context)}`
  })
})

/** The end of a day in Bangkok; other texts stay, and the decoder refuses them. */
const endOfDay = (expiresAt: Fields[string]): Fields[string] => {
  const end = typeof expiresAt === "string" ? parseTimeInBangkok(expiresAt, "last") : undefined
  return end === undefined ? expiresAt : isoTime(end.at)
}

/** The form's fields as the API takes them. Without networks the new key has those of the key that asks. */
const keyInput = ({ expiresAt, name = "", networks, ...boxes }: Fields): Fields => {
  const entries = networksIn(networks)
  return {
    name,
    scopes: scopesIn(boxes),
    ...(expiresAt === undefined ? {} : { expiresAt: endOfDay(expiresAt) }),
    ...(entries.length === 0 ? {} : { networks: entries })
  }
}

/** Makes a key, which is in this answer only. It can do no more than the key of the session. */
export const createKeyAction = formAction("configure", keysPage, function* (context) {
  const { caller: { branchId, key }, messages: { settings: { keys: text } } } = context
  const input = yield* decodeApiKey(keyInput(context.fields))
  const { apiKey } = yield* createKey(branchId, input, requestIdsOf(context), key)
  return secretPage(context, {
    label: text.newKey,
    secret: apiKey,
    next: KEYS_PATH,
    about: [[text.name, input.name]]
  })
})

/** The key that the path names. Fails with `ApiKeyNotFound` when the branch has no such key. */
const keyInPath = ({ caller: { branchId }, params: [id = ""] }: ShopContext) => findKey(branchId, id.toLowerCase())

/** Asks how long the replaced key works. */
export const rotateKeyPage = scoped("configure", function* (context) {
  const key = yield* keyInPath(context)
  const { keys: text } = context.messages.settings
  return settingsSubpage(context, {
    title: text.rotateTitle,
    heading: `${text.rotateTitle}: ${nameOf(context, key)}`,
    above: [KEYS_PATH, text.title],
    content: markup`<section class="card">${formIssues(context, "")}<p>${text.rotateHint}</p>${
      actionForm(
        context,
        pathTo("settings", "keys", key.id, "rotate"),
        overlapField(context, text.overlap),
        markup`<p><button class="primary">${text.rotate}</button></p>`
      )
    }</section>`
  })
})

/** Replaces a key. The new one is in this answer only. */
export const rotateKeyAction = formAction("configure", rotateKeyPage, function* (context) {
  const { caller: { branchId, key: asking }, messages } = context
  const { keys: text } = messages.settings
  const key = yield* keyInPath(context)
  const overlapSeconds = yield* overlapIn(context)
  const { apiKey, previousExpiresAt } = yield* rotateKey(
    branchId,
    key.id,
    requestIdsOf(context),
    overlapSeconds,
    asking
  ).pipe(
    // The form has none of the fields.
    Effect.mapError((error) =>
      error._tag === "ApiKeyRefused" && error.reason !== "asking-ended"
        ? invalid({ ...keyFaults[error.reason], path: "" })
        : error
    )
  )
  return secretPage(context, {
    label: text.newKey,
    secret: apiKey,
    next: KEYS_PATH,
    about: [[text.name, nameOf(context, key)], [text.oldUntil, timeView(messages, previousExpiresAt)]]
  })
})

/** Asks for the name of the key before it is revoked. Warns when the session itself uses it. */
export const revokeKeyPage = scoped("configure", function* (context) {
  const key = yield* keyInPath(context)
  const { dangerous, keys: text } = context.messages.settings
  const name = nameOf(context, key)
  return settingsSubpage(context, {
    title: text.revokeTitle,
    heading: `${text.revokeTitle}: ${name}`,
    above: [KEYS_PATH, text.title],
    content: markup`<section class="card">${
      isInUse(context, key) ? markup`<p class="banner bad" role="alert">${text.revokeOwn}</p>` : undefined
    }<p>${text.revokeHint} ${dangerous}</p>${
      actionForm(
        context,
        pathTo("settings", "keys", key.id, "revoke"),
        fieldView(context, { name: "confirm", label: text.confirm(name), isRequired: true }),
        markup`<p><button class="danger">${text.revoke}</button></p>`
      )
    }</section>`
  })
})

/** Revokes a key whose name was typed. */
export const revokeKeyAction = formAction("configure", revokeKeyPage, function* (context) {
  const { caller: { branchId }, fields } = context
  const key = yield* keyInPath(context)
  const typed = fields["confirm"]
  if (typeof typed !== "string" || typed.trim() !== nameOf(context, key).trim()) {
    return yield* invalid({ path: "confirm", message: "Expected the name of the key" })
  }
  yield* revokeKey(branchId, key.id, requestIdsOf(context))
  return redirect(`${KEYS_PATH}?done=keyRevoked`)
})
