"""The 16 tools of the retail domain."""

from collections.abc import Mapping
from types import MappingProxyType

from envscaler_eval.benchmarks.tau_bench.retail import delivered, lookup, pending
from envscaler_eval.benchmarks.tau_bench.tool import (
    Tool,
    calculate_tool,
    think,
    transfer_to_human_agents,
)

TABLES = ("orders", "products", "users")

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        "calculate": calculate_tool,
        "cancel_pending_order": pending.cancel_pending_order,
        "exchange_delivered_order_items": delivered.exchange_delivered_order_items,
        "find_user_id_by_email": lookup.find_user_id_by_email,
        "find_user_id_by_name_zip": lookup.find_user_id_by_name_zip,
        "get_order_details": lookup.get_order_details,
        "get_product_details": lookup.get_product_details,
        "get_user_details": lookup.get_user_details,
        "list_all_product_types": lookup.list_all_product_types,
        "modify_pending_order_address": pending.modify_pending_order_address,
        "modify_pending_order_items": pending.modify_pending_order_items,
        "modify_pending_order_payment": pending.modify_pending_order_payment,
        "modify_user_address": pending.modify_user_address,
        "return_delivered_order_items": delivered.return_delivered_order_items,
        "think": think,
        "transfer_to_human_agents": transfer_to_human_agents,
    }
)
