import { markup } from "../../infrastructure/web/pages/html.ts"
import { indexed } from "../../infrastructure/web/docs/ranking.js"
import { codeBlock } from "./code-view.ts"
import type { DocPage } from "./doc-page.ts"
import { frameTexts } from "../../infrastructure/web/docs/frame-texts.ts"
import type { ReferenceContext } from "./operation-view.ts"
import { ANSWER, ENVIRONMENT, FAILURE, startSamples } from "./start-page.ts"

const { code } = frameTexts.th

const headings = [
  { id: "first-verification", text: "ตรวจสลิปครั้งแรก" },
  { id: "before-you-ship", text: "ก่อนส่งสินค้า" },
  { id: "keys", text: "คีย์ API" },
  { id: "errors", text: "ข้อผิดพลาด" }
]

/** The start of the documentation, in Thai. */
export const makeThaiStartPage = (context: ReferenceContext): DocPage => {
  const { base } = context
  return {
    path: "/th",
    title: "เริ่มต้นใช้งาน",
    language: "th",
    section: "Start",
    headings,
    content: markup`<h1>เริ่มต้นใช้งาน SlipTrail API</h1>
<p class="lead">ส่งสลิปโอนเงินของธนาคารไทย แล้วรู้ผลทันทีว่ามีการโอนจริงหรือไม่ สลิปนี้เคยใช้แล้วหรือยัง
และยอดเงินที่ถูกต้องเข้าบัญชีที่ถูกต้องหรือไม่</p>
<p lang="en"><a href="${base}">This page in English</a></p>
<h2 id="first-verification">ตรวจสลิปครั้งแรก</h2>
<p>สิ่งที่ต้องมีคือที่อยู่ของบริการและคีย์ API ของสาขา ขอได้จากผู้ดูแลระบบ หากต้องการทดลองบนเครื่องของตนเอง
ให้เริ่มบริการด้วยคำสั่งด้านล่าง บริการจะแสดงคีย์ และธนาคารจำลองของบริการรู้จักสลิปในตัวอย่างนี้</p>
${codeBlock("npm ci && npm start", "บริการสำหรับทดลอง", code)}
<p>กำหนดค่าทั้งสองเป็นตัวแปรสภาพแวดล้อม ตัวอย่างทั้งหมดในเอกสารนี้อ่านค่าจากตัวแปรดังกล่าว</p>
${codeBlock(ENVIRONMENT, "เทอร์มินัลที่สอง", code)}
<p>ตรวจข้อความใน QR code ของสลิป</p>${startSamples(context, "json", code)}
<p>คำตอบมีข้อมูลทั้งหมดที่ธนาคารแจ้ง</p>${codeBlock(ANSWER, "200", code)}
<p>ส่งคำขอเดิมอีกครั้งด้วย <code>Idempotency-Key</code> ใหม่ <code>isDuplicate</code> จะเป็น <code>true</code>
หากใช้คีย์เดิม จะได้คำตอบแรกกลับมาอีกครั้ง</p>
<p>ลูกค้ามักส่งสลิปเป็นรูปภาพ คำสั่ง <code>npx sliptrail sandbox slip --amount 1500.50 --out slip.png</code>
สร้างรูปสลิปสำหรับทดลอง</p>${startSamples(context, "multipart", code)}
<h2 id="before-you-ship">ก่อนส่งสินค้า</h2>
<p><code>"success": true</code> หมายความว่าธนาคารพบรายการโอนนี้เท่านั้น ควรตรวจเพิ่มดังนี้</p>
<ul><li><code>isDuplicate</code> สลิปนี้อาจเคยใช้จ่ายคำสั่งซื้ออื่นแล้ว</li>
<li><code>isAmountMatched</code> เมื่อส่ง <code>matchAmount</code> ยอดเงินในสลิปอาจไม่ตรงกับคำสั่งซื้อ</li>
<li><code>matchedAccount</code> เมื่อส่ง <code>matchAccount</code> เงินอาจเข้าบัญชีอื่น</li></ul>
<p>หรือส่ง <code>conditions</code> เพื่อให้บริการตัดสินแทน ช่อง <code>accepted</code> บอกว่าส่งสินค้าได้หรือไม่
รายละเอียดอยู่ใน <a href="${base}/using-the-api#what-to-check-before-you-ship" lang="en">What to check before you
ship</a></p>
<h2 id="keys">คีย์ API</h2>
<p>ส่งคีย์ไปกับทุกคำขอ <code>Authorization: Bearer &lt;key&gt;</code> และเก็บคีย์ไว้บนเซิร์ฟเวอร์เท่านั้น
เพราะผู้ใช้หน้าเว็บหรือแอปสามารถอ่านคีย์ที่อยู่ในนั้นได้ ควรสร้าง
<a href="${base}/using-the-api#a-key-for-each-purpose">คีย์แยกสำหรับแต่ละเครื่องและแต่ละโปรแกรม</a>
ให้ทำได้เฉพาะสิ่งที่จำเป็น</p>
<h2 id="errors">ข้อผิดพลาด</h2>${codeBlock(FAILURE, "404", code)}
<p>ให้โปรแกรมตัดสินจาก <code>error.code</code> ไม่ใช่จากข้อความ หากคำตอบมีเฮดเดอร์ <code>Retry-After</code>
ให้ลองใหม่หลังจากจำนวนวินาทีนั้น <a href="${base}/errors">รหัสข้อผิดพลาดทั้งหมด</a>
พร้อมความหมาย (ภาษาอังกฤษ)</p>
<p>เอกสารส่วนอื่นเป็นภาษาอังกฤษ: <a href="${base}/using-the-api" lang="en">Using the API</a>,
<a href="${base}/reference" lang="en">Reference</a></p>`,
    entries: [
      {
        url: `${base}/th`,
        kind: "Start",
        title: "เริ่มต้นใช้งาน",
        detail: "เริ่มต้นใช้งาน SlipTrail API",
        names: indexed("เริ่มต้นใช้งาน thai ภาษาไทย"),
        words: indexed("สลิป ตรวจสลิป โอนเงิน ธนาคาร คีย์ สาขา รูปภาพ")
      },
      ...headings.map(({ id, text }) => ({
        url: `${base}/th#${id}`,
        kind: "Start",
        title: text,
        detail: "เริ่มต้นใช้งาน SlipTrail API",
        names: indexed(text),
        words: " "
      }))
    ]
  }
}
