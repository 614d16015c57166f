import { Effect } from "effect"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../../../application/provisioning/branches.ts"
import { findKey, revokeKey } from "../../../../application/provisioning/keys.ts"
import type { BranchView } from "../../../../application/views/provisioning.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { settingNames } from "../../../../domain/branch-settings.ts"
import { BranchNotFound } from "../../../../domain/branch.ts"
import { ServiceNotFound } from "../../../../domain/service.ts"
import { type Content, markup } from "../../pages/html.ts"
import type { Fields } from "../../input/decode.ts"
import { decodeBranch, decodeBranchChange } from "../../input/operator-requests.ts"
import { AUDIT_PATH, auditPath } from "../audit-path.ts"
import { copyable, doneBanner, secretsPage } from "../components.ts"
import { facts, tag } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { orUnavailable } from "../error-pages.ts"
import { orShowForm } from "../../pages/forms.ts"
import { dangerZone, ifConfirmed, ofForm } from "../danger.ts"
import { enteredSettings, settingFacts, settingFieldViews } from "../branch-settings.ts"
import { actionForm, actionSection, confirmedAction, fieldView, issuesView } from "../forms.ts"
import type { Messages } from "../messages.ts"
import { summaryCard } from "../summary-card.ts"
import { idOf, type PageContext, type PageResult, pathTo, requestIdsOf } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"
import { quotaSection } from "../quota-section.ts"
import { weekSection } from "../today-section.ts"
import { accountsOfBranch } from "./bank-account.ts"
import { keyIdOf, keysSection, typedNameOf } from "./keys.ts"
import { openLinksSection } from "./sign-in-link.ts"
import { policySection } from "./policy.ts"

/** The fields of a branch, in the form for a new branch and in the one for an existing branch. */
const branchFields = (context: PageContext, branch?: BranchView): ReadonlyArray<Content> => [
  issuesView(context, ["name", ...settingNames]),
  fieldView(context, {
    name: "name",
    label: context.messages.common.name,
    value: branch?.name ?? "",
    isRequired: true
  }),
  ...settingFieldViews(context, branch)
]

/** The form's fields as the admin API takes them. */
const branchInput = (fields: Fields): Fields => ({ name: fields["name"] ?? "", ...enteredSettings(fields) })

const actions = (context: PageContext, { id, isActive }: BranchView): ReadonlyArray<Content> => {
  const { branch } = context.messages
  const confirmedBy = (label: string, hint: string, name: string) =>
    confirmedAction(context, { label, hint, action: pathTo("branches", id, name) })
  return [
    confirmedBy(branch.rotateSecret, branch.rotateSecretHint, "rotate-webhook-secret"),
    isActive
      ? confirmedBy(branch.deactivate, branch.deactivateHint, "deactivate")
      : actionForm(context, pathTo("branches", id, "activate"), markup`<button>${branch.activate}</button>`)
  ]
}

/** What stops callers of the branch at once. */
const dangers = (context: PageContext, { id, name }: BranchView): Content => {
  const { branch } = context.messages
  return dangerZone(context, [
    { action: pathTo("branches", id, "rotate-key"), label: branch.rotateKey, hint: branch.rotateKeyHint, name }
  ])
}

/** A branch: its settings, the use of its quota, and its actions. */
export const branchPage = Effect.fnUntraced(function* (context: PageContext) {
  const directory = yield* Directory
  const branch = yield* directory.branch(idOf(context))
  if (branch === undefined) return yield* new BranchNotFound()
  const service = yield* directory.service(branch.serviceId)
  const { messages } = context
  const sections = [
    yield* orUnavailable(context, quotaSection(context, branch)),
    yield* orUnavailable(context, weekSection(messages, { branchId: branch.id })),
    yield* orUnavailable(context, accountsOfBranch(context, branch.id)),
    yield* orUnavailable(context, policySection(context, branch.id)),
    yield* orUnavailable(context, keysSection(context, branch.id)),
    yield* orUnavailable(context, openLinksSection(context, branch.id))
  ]
  const { branch: text, common } = messages
  const state = branch.isActive ? tag(text.active, "good") : tag(text.inactive, "bad")
  return {
    _tag: "Page",
    title: branch.name,
    menu: "services",
    content: markup`<h1>${branch.name} ${state}${branch.isMain ? markup` ${tag(text.main)}` : undefined}</h1>${
      doneBanner(context)
    }${
      summaryCard(messages, [facts([
        [common.id, copyable(context, branch.id)],
        [
          text.service,
          markup`<a href="${pathTo("services", branch.serviceId)}">${service?.name ?? branch.serviceId}</a>`
        ],
        ...settingFacts(messages, branch),
        [common.created, timeView(messages, branch.createdAt)]
      ])])
    }<p><a class="button" href="${pathTo("trail", "branch", branch.id)}">${text.trail}</a>${
      context.may(AUDIT_PATH)
        ? markup` <a class="button" href="${auditPath({ subject: branch.id })}">${messages.audit.title}</a>`
        : undefined
    }</p>${sections}${
      actionSection(text.edit, "form", [
        actionForm(
          context,
          pathTo("branches", branch.id),
          ...branchFields(ofForm(context, pathTo("branches", branch.id)), branch),
          markup`<p><button class="primary">${common.save}</button></p>`
        )
      ])
    }${actionSection(text.actions, "row", actions(context, branch))}${dangers(context, branch)}`
  } satisfies PageResult
})

const done = (context: PageContext, message: keyof Messages["done"]) =>
  redirect(`${pathTo("branches", idOf(context))}?done=${message}`)

const changeAction = (context: PageContext) =>
  orShowForm(
    context,
    branchPage,
    Effect.gen(function* () {
      const change = yield* decodeBranchChange(branchInput(context.fields))
      yield* changeBranch(idOf(context), change, requestIdsOf(context))
      return done(context, "changed")
    })
  )

/** The form for a new branch of a service. */
export const newBranchPage = Effect.fnUntraced(function* (context: PageContext) {
  const service = yield* (yield* Directory).service(idOf(context))
  if (service === undefined) return yield* new ServiceNotFound()
  const { createBranch, newBranch } = context.messages.service
  return {
    _tag: "Page",
    title: newBranch,
    menu: "services",
    content: markup`<h1>${newBranch}</h1><p><a href="${pathTo("services", service.id)}">${service.name}</a></p>
<section class="card form">${
      actionForm(
        context,
        pathTo("services", service.id, "new-branch"),
        ...branchFields(context),
        markup`<p><button class="primary">${createBranch}</button></p>`
      )
    }</section>`
  } satisfies PageResult
})

const createAction = (context: PageContext) =>
  orShowForm(
    context,
    newBranchPage,
    Effect.gen(function* () {
      const { fields, messages } = context
      const { name, ...settings } = yield* decodeBranch(branchInput(fields))
      const created = yield* createBranch({ serviceId: idOf(context), name, settings }, requestIdsOf(context))
      const about = [
        [messages.overview.branch, created.name],
        [messages.common.id, markup`<code class="any">${created.id}</code>`]
      ] as const
      return secretsPage(context, pathTo("branches", created.id), about, created)
    })
  )

/** The new key is in this answer only. */
const rotateKeyAction = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* (yield* Directory).branch(idOf(context))
  if (branch === undefined) return yield* new BranchNotFound()
  const rotate = Effect.gen(function* () {
    const { apiKey, id, name } = yield* rotateApiKey(branch.id, requestIdsOf(context))
    return secretsPage(context, pathTo("branches", id), [[context.messages.overview.branch, name]], { apiKey })
  })
  return yield* ifConfirmed(context, branch.name, branchPage, rotate)
})

const revokeKeyAction = Effect.fnUntraced(function* (context: PageContext) {
  const branchId = idOf(context)
  const key = yield* findKey(branchId, keyIdOf(context))
  const revoke = Effect.as(revokeKey(branchId, key.id, requestIdsOf(context)), done(context, "keyRevoked"))
  return yield* ifConfirmed(context, typedNameOf(key), branchPage, revoke)
})

/** The new secret is in this answer only. */
const rotateSecretAction = Effect.fnUntraced(function* (context: PageContext) {
  const { messages } = context
  const { previousExpiresAt, secret } = yield* rotateWebhookSecret(idOf(context), requestIdsOf(context))
  const about = [[messages.branch.previousSecret, timeView(messages, previousExpiresAt)]] as const
  return secretsPage(context, pathTo("branches", idOf(context)), about, { webhookSecret: secret })
})

export const branchActions = {
  create: createAction,
  change: changeAction,
  rotateKey: rotateKeyAction,
  rotateSecret: rotateSecretAction,
  revokeKey: revokeKeyAction,
  activate: (context: PageContext) =>
    Effect.as(switchBranch(idOf(context), "active", requestIdsOf(context)), done(context, "activated")),
  deactivate: (context: PageContext) =>
    Effect.as(switchBranch(idOf(context), "inactive", requestIdsOf(context)), done(context, "deactivated"))
}
