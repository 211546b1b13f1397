package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// chinese maps programmers' terms in Chinese to the words that code uses. Longer terms win.
var chinese = map[string]string{
	"压缩": "compact compress", "配置": "config", "错误": "error", "缓存": "cache", "窗口": "window", "上下文": "context",
	"请求": "request", "响应": "response", "日志": "log", "数据库": "database", "连接": "connect", "线程": "thread",
	"进程": "process", "协程": "goroutine coroutine", "队列": "queue", "消息": "message", "事件": "event", "路由": "route",
	"认证": "auth", "授权": "auth", "登录": "login", "用户": "user", "密码": "password", "令牌": "token", "加密": "encrypt",
	"解密": "decrypt", "解析": "parse", "序列化": "serialize", "编码": "encode", "解码": "decode", "文件": "file",
	"目录": "directory", "路径": "path", "搜索": "search", "查询": "query", "索引": "index", "排序": "sort", "过滤": "filter",
	"级别": "level", "层级": "level", "等级": "level", "预算": "budget", "配额": "quota", "限制": "limit", "限流": "ratelimit throttle",
	"超时": "timeout", "重试": "retry", "取消": "cancel", "并发": "concurrent parallel", "异步": "async", "同步": "sync",
	"锁": "lock mutex", "测试": "test", "接口": "interface", "函数": "function", "方法": "method", "类型": "type",
	"变量": "variable", "参数": "parameter", "命令": "command", "命令行": "command cli", "选项": "option", "标志": "flag",
	"补全": "completion", "自动补全": "completion", "帮助": "help", "版本": "version", "依赖": "dependency", "模块": "module",
	"插件": "plugin", "工具": "tool", "模型": "model", "提供者": "provider", "代理": "proxy agent", "记忆": "memory",
	"内存": "memory", "存储": "store storage", "会话": "session", "历史": "history", "摘要": "summary", "总结": "summary",
	"流": "stream", "流式": "stream", "渲染": "render", "模板": "template", "页面": "page", "组件": "component", "状态": "state status",
	"校验": "validate check", "验证": "validate verify", "注册": "register", "启动": "start startup", "初始化": "init",
	"关闭": "close shutdown", "清理": "clean", "删除": "delete remove", "更新": "update", "创建": "create", "写入": "write",
	"读取": "read", "加载": "load", "保存": "save", "导入": "import", "导出": "export", "转换": "convert transform",
	"格式": "format", "格式化": "format", "字符串": "string", "数组": "array", "列表": "list", "映射": "map", "哈希": "hash",
	"树": "tree", "图": "graph", "节点": "node", "回调": "callback", "钩子": "hook", "中间件": "middleware", "服务器": "server",
	"服务": "service", "客户端": "client", "网络": "network", "端口": "port", "地址": "address", "域名": "domain host",
	"重定向": "redirect", "头部": "header", "证书": "cert", "签名": "sign signature", "权限": "permission", "事务": "transaction",
	"迁移": "migrate migration", "调度": "schedule", "任务": "task job", "定时": "timer schedule", "监控": "monitor metric",
	"指标": "metric", "追踪": "trace", "部署": "deploy", "构建": "build", "编译": "compile", "安装": "install", "选择": "choose",
	"估算": "estimate", "计数": "count", "分词": "token", "截断": "truncate cut", "裁剪": "cut trim", "折叠": "fold",
	"快照": "snapshot", "回滚": "rollback", "恢复": "recover resume", "崩溃": "crash panic", "异常": "exception", "告警": "alert warn",
	"循环": "loop", "步骤": "step", "停止": "stop", "报告": "report", "引用": "reference", "定义": "define", "符号": "symbol",
	"大纲": "outline", "忽略": "ignore", "匹配": "match", "正则": "regex", "字段": "field", "结构": "struct", "结构体": "struct",
	"入口": "entry", "上传": "upload", "下载": "download", "图片": "image", "邮件": "mail", "支付": "payment", "订单": "order",
	"发送": "send", "接收": "receive", "广播": "broadcast", "订阅": "subscribe", "发布": "publish", "推送": "push", "合并": "merge",
	"分支": "branch", "提交": "commit submit", "继承": "inherit", "多态": "polymorph", "泛型": "generic", "策略": "policy strategy",
	"规则": "rule", "提示词": "prompt", "提示": "prompt hint", "嵌入": "embed", "向量": "vector", "分页": "page paginate",
	"建议": "suggest", "标记": "mark", "必填": "required", "默认": "default",
}

// chineseStops are the question words, particles and pronouns of a question, which it is not about.
var chineseStops = []string{
	"为什么", "是怎么", "怎么样", "在哪里", "在哪儿", "哪一个", "什么样", "请问", "如何", "怎么", "怎样", "什么", "哪里", "哪个", "哪些", "是否", "可以",
	"这个", "那个", "一个", "一些", "这些", "那些", "自己",
	"我们", "他们", "它们", "项目", "代码库", "代码", "仓库", "实现", "处理", "工作", "进行", "使用", "时候", "之后", "之前", "当中", "里面", "里",
	"的", "了", "是", "在", "和", "与", "或", "吗", "呢", "被", "把", "对", "从", "到", "会", "有", "要", "中", "个", "请", "谁", "它", "并",
	"及", "其", "时", "后", "做", "用", "就", "都", "也", "让", "给", "为",
}

// A Term is a run of Chinese, with the English words for it if the table has it.
type Term struct {
	Text    string
	English []string // none for a word that the table lacks
}

// longestTerm is the length of the longest key of the tables, in runes.
const longestTerm = 4

// Chinese finds the terms in the Chinese parts of s, in order. A run between known terms and stop words becomes a
// term of its own if it has at least two characters; it is split into pairs if it has more than four.
func Chinese(s string) []Term {
	var terms []Term
	var rest strings.Builder
	flush := func() {
		r := []rune(rest.String())
		rest.Reset()
		if len(r) > longestTerm {
			for i := 0; i+1 < len(r) && i < 2*longestTerm; i += 2 {
				terms = append(terms, Term{Text: string(r[i : i+2])})
			}
		} else if len(r) >= 2 {
			terms = append(terms, Term{Text: string(r)})
		}
	}
	for s != "" {
		if found, n := prefixTerm(s); n > 0 {
			flush()
			if found.Text != "" {
				terms = append(terms, found)
			}
			s = s[n:]
			continue
		}
		c, size := utf8.DecodeRuneInString(s)
		if unicode.Is(unicode.Han, c) {
			rest.WriteRune(c)
		} else {
			flush()
		}
		s = s[size:]
	}
	flush()
	return terms
}

// prefixTerm returns the longest known term or stop word at the start of s, and its length in bytes. The term is empty
// for a stop word; the length is 0 if s starts with neither.
func prefixTerm(s string) (Term, int) {
	at := 0
	ends := make([]int, 0, longestTerm)
	for range longestTerm {
		c, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.Is(unicode.Han, c) {
			break
		}
		at += size
		ends = append(ends, at)
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if english, ok := chinese[s[:ends[i]]]; ok {
			return Term{s[:ends[i]], strings.Fields(english)}, ends[i]
		}
		for _, stop := range chineseStops {
			if s[:ends[i]] == stop {
				return Term{}, ends[i]
			}
		}
	}
	return Term{}, 0
}

// FromChinese returns a text with the Chinese terms of the table in English, and without words that say nothing. It
// keeps a text without any term of the table: its sections are in Chinese.
func FromChinese(text string) string {
	var b strings.Builder
	known := false
	for s := text; s != ""; {
		found, n := prefixTerm(s)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
		} else if len(found.English) > 0 {
			known = true
			b.WriteString(" " + found.English[0] + " ")
		}
		s = s[n:]
	}
	if !known {
		return text
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
