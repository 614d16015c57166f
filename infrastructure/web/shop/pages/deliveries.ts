import { listDeliveries } from "../../../../application/callbacks/list-callbacks.ts"
import { redeliverCallback } from "../../../../application/callbacks/redeliver-callbacks.ts"
import { markup, redirect } from "../../pages/html.ts"
import { tabs } from "../../pages/frame.ts"
import { doneBanner, pageIn, pager, settingsSubpage } from "../components.ts"
import { deliveryView, resendForm, verificationPathOf } from "../deliveries-view.ts"
import { requestIdsOf, scoped } from "../page-context.ts"

const PATH = "/app/settings/deliveries"

const filters = ["failed", "rejected", "delivered"] as const

/** The attempts to deliver callbacks of the branch, the newest first. */
export const deliveriesPage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages: { settings }, query } = context
  const { deliveries: text } = settings
  const status = filters.find((filter) => filter === query.get("status"))
  const selected = { status }
  const page = yield* pageIn(context, selected)
  const { items, nextCursor } = yield* listDeliveries({
    branchId,
    jobId: undefined,
    status,
    order: "newest",
    ...page
  })
  const pages = yield* pager(context, selected, nextCursor, text)
  const choices = [
    [text.all, PATH, status === undefined] as const,
    ...filters.map((filter) => [text[filter], `${PATH}?status=${filter}`, status === filter] as const)
  ]
  return settingsSubpage(context, {
    title: text.title,
    content: markup`${doneBanner(context)}<p>${text.about}</p>${tabs(text.filter, choices)}${
      items.length === 0 ? markup`<p>${text.none}</p>` : markup`<ul class="rows card">${
        items.map((item) =>
          deliveryView(
            context,
            item,
            markup`<div class="row">${
              context.may("read")
                ? markup`<a class="button" href="${verificationPathOf(item.jobId)}">${text.check}</a>`
                : undefined
            }${resendForm(context, item.jobId, "list")}</div>`
          )
        )
      }</ul>`
    }${pages}`
  })
})

/** Sends the callback of a job of the branch again. */
export const resendAction = scoped("configure", function* (context) {
  const { back, jobId } = context.fields
  const id = typeof jobId === "string" ? jobId : ""
  yield* redeliverCallback(id, context.caller.branchId, requestIdsOf(context))
  const isBack = back === "verification" && context.may("read")
  return redirect(`${isBack ? verificationPathOf(id) : PATH}?done=resent`)
})
