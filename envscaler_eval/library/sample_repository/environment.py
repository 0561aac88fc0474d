"""Sample repository: donors and their consent, aliquots in freezers, shipments, withdrawals."""

from datetime import datetime
from typing import Literal, TypedDict

Purpose = Literal["biomarkers", "genetics", "drug_development"]
Material = Literal["plasma", "serum", "dna", "rna"]

MOST_THAWS = 3
MOST_MICROLITRES = 2000
WARMEST = {"plasma": -70, "rna": -70, "serum": -18, "dna": -18}
"""The warmest freezer for each material, in degrees Celsius."""


class Project(TypedDict):
    """A research project for which material is collected."""

    title: str
    lead: str


class Donor(TypedDict):
    """Somebody who has given material, with the purposes that it may be sent away for."""

    project: str
    agreed_purposes: list[Purpose]
    withdrawal: Literal["none", "requested", "completed"]
    withdrawal_received: str | None


class Freezer(TypedDict):
    """A freezer, with the temperature that it is set to in degrees Celsius."""

    name: str
    temperature: int
    in_service: bool


class Box(TypedDict):
    """A rack box with rows A, B, C and columns 1, 2, 3."""

    label: str
    freezer: str
    rows: int
    columns: int


class Aliquot(TypedDict):
    """A tube with material of one donor; it has a place while it is stored or reserved."""

    donor: str
    material: Material
    volume_ul: int
    thaws: int
    status: Literal["stored", "reserved", "out", "shipped", "destroyed"]
    box: str | None
    position: str | None
    taken_by: str | None
    destroyed_for: Literal["withdrawal", "used_up", "spoiled"] | None


class Shipment(TypedDict):
    """Aliquots of a project that go to a partner for one purpose."""

    project: str
    recipient: str
    purpose: Purpose
    aliquots: list[str]
    status: Literal["prepared", "sent", "cancelled"]
    sent_on: str | None


class SampleRepository:
    """The sample repository of a research institute."""

    def __init__(self, init_config: dict) -> None:
        self.projects: dict[str, Project] = {}
        self.donors: dict[str, Donor] = {}
        self.freezers: dict[str, Freezer] = {}
        self.boxes: dict[str, Box] = {}
        self.aliquots: dict[str, Aliquot] = {}
        self.shipments: dict[str, Shipment] = {}
        self.next_aliquot: int = 1
        self.next_shipment: int = 1

    def _has_withdrawn(self, donor_id: str) -> bool:
        """Whether a donor has asked to withdraw, be it carried out or not."""
        return self.donors[donor_id]["withdrawal"] != "none"

    def _held(self, donor_id: str) -> list[str]:
        """The aliquots of a donor that the repository has not shipped or destroyed."""
        return sorted(
            key
            for key, aliquot in self.aliquots.items()
            if aliquot["donor"] == donor_id and aliquot["status"] in ("stored", "reserved", "out")
        )

    def _free_positions(self, box_id: str) -> list[str]:
        """The free positions of a box, row by row."""
        box = self.boxes[box_id]
        taken = {a["position"] for a in self.aliquots.values() if a["box"] == box_id}
        positions = [
            f"{chr(ord('A') + row)}{column}"
            for row in range(box["rows"])
            for column in range(1, box["columns"] + 1)
        ]
        return [position for position in positions if position not in taken]

    def _place_error(self, material: str, box_id: str, position: str) -> str | None:
        """Say why a material may not be put into a position; nothing if it may."""
        box = self.boxes.get(box_id)
        if box is None:
            return f"There is no box {box_id}"
        freezer = self.freezers[box["freezer"]]
        if not freezer["in_service"]:
            return f"Freezer {box['freezer']}, where box {box_id} stands, is out of service"
        if freezer["temperature"] > WARMEST[material]:
            return (
                f"Box {box_id} stands at {freezer['temperature']} degrees, and {material} "
                f"needs {WARMEST[material]} or colder"
            )
        if position not in self._free_positions(box_id):
            return f"Box {box_id} has no free position {position}"
        return None

    def find_projects(self, text: str) -> dict:
        """Find projects by a part of their title or of their lead's name.

        Args:
            text: A part of the title or of the name, in any case, such as "asthma".
        """
        wanted = text.strip().casefold()
        if not wanted:
            return {"success": False, "error": "Give a part of a title or of a lead's name"}
        found = [
            {"project_id": key, **project}
            for key, project in sorted(self.projects.items())
            if wanted in project["title"].casefold() or wanted in project["lead"].casefold()
        ]
        return {"success": True, "projects": found}

    def find_donors(
        self,
        donor_id: str | None = None,
        project_id: str | None = None,
        withdrawal: Literal["none", "requested", "completed"] | None = None,
    ) -> dict:
        """List donors with what they have agreed to and whether they have withdrawn.

        All conditions that are given must hold.

        Args:
            donor_id: Only this donor, such as D-104.
            project_id: Only donors of this project, such as P-3.
            withdrawal: Only donors whose withdrawal is at this point.
        """
        if donor_id is not None and donor_id not in self.donors:
            return {"success": False, "error": f"There is no donor {donor_id}"}
        if project_id is not None and project_id not in self.projects:
            return {"success": False, "error": f"There is no project {project_id}"}
        found = [
            {"donor_id": key, **donor, "agreed_purposes": list(donor["agreed_purposes"])}
            for key, donor in sorted(self.donors.items())
            if donor_id in (None, key)
            and project_id in (None, donor["project"])
            and withdrawal in (None, donor["withdrawal"])
        ]
        return {"success": True, "donors": found}

    def find_aliquots(
        self,
        aliquot_id: str | None = None,
        donor_id: str | None = None,
        project_id: str | None = None,
        box_id: str | None = None,
        material: Material | None = None,
        status: Literal["stored", "reserved", "out", "shipped", "destroyed"] | None = None,
    ) -> dict:
        """List aliquots with their volume in microlitres, thaws, status and place.

        All conditions that are given must hold.

        Args:
            aliquot_id: Only this aliquot, such as AQ-2004.
            donor_id: Only aliquots of this donor.
            project_id: Only aliquots of donors of this project.
            box_id: Only aliquots in this box.
            material: Only aliquots of this material.
            status: Only aliquots with this status.
        """
        named = (
            ("aliquot", aliquot_id, self.aliquots),
            ("donor", donor_id, self.donors),
            ("project", project_id, self.projects),
            ("box", box_id, self.boxes),
        )
        for kind, key, records in named:
            if key is not None and key not in records:
                return {"success": False, "error": f"There is no {kind} {key}"}
        found = [
            {"aliquot_id": key, **aliquot}
            for key, aliquot in sorted(self.aliquots.items())
            if aliquot_id in (None, key)
            and donor_id in (None, aliquot["donor"])
            and project_id in (None, self.donors[aliquot["donor"]]["project"])
            and box_id in (None, aliquot["box"])
            and material in (None, aliquot["material"])
            and status in (None, aliquot["status"])
        ]
        return {"success": True, "aliquots": found}

    def list_boxes(self, freezer_id: str | None = None) -> dict:
        """List boxes with the freezer that they stand in and their free positions.

        Args:
            freezer_id: Only boxes in this freezer, such as F-2.
        """
        if freezer_id is not None and freezer_id not in self.freezers:
            return {"success": False, "error": f"There is no freezer {freezer_id}"}
        found = []
        for key, box in sorted(self.boxes.items()):
            if freezer_id in (None, box["freezer"]):
                freezer = self.freezers[box["freezer"]]
                found.append(
                    {
                        "box_id": key,
                        "label": box["label"],
                        "freezer_id": box["freezer"],
                        "freezer_name": freezer["name"],
                        "temperature": freezer["temperature"],
                        "in_service": freezer["in_service"],
                        "free_positions": self._free_positions(key),
                    }
                )
        return {"success": True, "boxes": found}

    def list_shipments(
        self,
        project_id: str | None = None,
        status: Literal["prepared", "sent", "cancelled"] | None = None,
    ) -> dict:
        """List shipments with recipient, purpose, aliquots and status.

        All conditions that are given must hold.

        Args:
            project_id: Only shipments of this project, such as P-3.
            status: Only shipments with this status.
        """
        if project_id is not None and project_id not in self.projects:
            return {"success": False, "error": f"There is no project {project_id}"}
        found = [
            {"shipment_id": key, **shipment, "aliquots": list(shipment["aliquots"])}
            for key, shipment in sorted(self.shipments.items())
            if project_id in (None, shipment["project"]) and status in (None, shipment["status"])
        ]
        return {"success": True, "shipments": found}

    def register_aliquot(
        self, donor_id: str, material: Material, volume_ul: int, box_id: str, position: str
    ) -> dict:
        """Accept a new aliquot of a donor into a free position of a box.

        Args:
            donor_id: Whose material it is, such as D-104.
            material: What the tube holds.
            volume_ul: How much it holds in microlitres, 1 to 2000.
            box_id: The box to put it into, such as BX-07.
            position: A free position of the box, row and column, such as B3.
        """
        if donor_id not in self.donors:
            return {"success": False, "error": f"There is no donor {donor_id}"}
        if self._has_withdrawn(donor_id):
            return {
                "success": False,
                "error": f"Donor {donor_id} has withdrawn, and no material is accepted any more",
            }
        if not 1 <= volume_ul <= MOST_MICROLITRES:
            return {
                "success": False,
                "error": f"A tube holds 1 to {MOST_MICROLITRES} microlitres, not {volume_ul}",
            }
        if error := self._place_error(material, box_id, position):
            return {"success": False, "error": error}
        aliquot_id = f"AQ-{self.next_aliquot}"
        self.aliquots[aliquot_id] = {
            "donor": donor_id,
            "material": material,
            "volume_ul": volume_ul,
            "thaws": 0,
            "status": "stored",
            "box": box_id,
            "position": position,
            "taken_by": None,
            "destroyed_for": None,
        }
        self.next_aliquot += 1
        return {"success": True, "aliquot_id": aliquot_id}

    def take_out_aliquot(self, aliquot_id: str, taken_by: str) -> dict:
        """Take a stored aliquot out for somebody's bench, which thaws it once more.

        Args:
            aliquot_id: The aliquot, such as AQ-2004.
            taken_by: Who takes it, first name and family name.
        """
        aliquot = self.aliquots.get(aliquot_id)
        if aliquot is None:
            return {"success": False, "error": f"There is no aliquot {aliquot_id}"}
        if not taken_by.strip():
            return {"success": False, "error": "Say who takes the aliquot"}
        if aliquot["status"] != "stored":
            return {
                "success": False,
                "error": f"Aliquot {aliquot_id} is {aliquot['status']}, not stored",
            }
        if self._has_withdrawn(aliquot["donor"]):
            return {
                "success": False,
                "error": f"Donor {aliquot['donor']} of {aliquot_id} has withdrawn",
            }
        if aliquot["thaws"] >= MOST_THAWS:
            return {
                "success": False,
                "error": f"Aliquot {aliquot_id} has been thawed {aliquot['thaws']} times already",
            }
        aliquot["status"] = "out"
        aliquot["thaws"] += 1
        aliquot["box"] = None
        aliquot["position"] = None
        aliquot["taken_by"] = taken_by.strip()
        return {"success": True, "aliquot_id": aliquot_id, "thaws": aliquot["thaws"]}

    def store_aliquot(
        self, aliquot_id: str, box_id: str, position: str, used_ul: int = 0
    ) -> dict:
        """Put an aliquot that is out back into a free position, or move one that has a place.

        A reserved aliquot stays reserved when it is moved.

        Args:
            aliquot_id: The aliquot, such as AQ-2004.
            box_id: The box to put it into, such as BX-07.
            position: A free position of the box, row and column, such as B3.
            used_ul: How many microlitres were used of it while it was out.
        """
        aliquot = self.aliquots.get(aliquot_id)
        if aliquot is None:
            return {"success": False, "error": f"There is no aliquot {aliquot_id}"}
        if aliquot["status"] in ("shipped", "destroyed"):
            return {"success": False, "error": f"Aliquot {aliquot_id} is {aliquot['status']}"}
        if used_ul and aliquot["status"] != "out":
            return {
                "success": False,
                "error": f"Aliquot {aliquot_id} is {aliquot['status']}; nothing can have been used of it",
            }
        if not 0 <= used_ul < aliquot["volume_ul"]:
            return {
                "success": False,
                "error": (
                    f"Of the {aliquot['volume_ul']} microlitres in {aliquot_id}, {used_ul} cannot "
                    "have been used; an empty tube is not stored"
                ),
            }
        if error := self._place_error(aliquot["material"], box_id, position):
            return {"success": False, "error": error}
        if aliquot["status"] == "out":
            aliquot["status"] = "stored"
            aliquot["taken_by"] = None
        aliquot["volume_ul"] -= used_ul
        aliquot["box"] = box_id
        aliquot["position"] = position
        return {"success": True, "aliquot_id": aliquot_id, **aliquot}

    def destroy_aliquot(
        self, aliquot_id: str, reason: Literal["withdrawal", "used_up", "spoiled"]
    ) -> dict:
        """Destroy an aliquot that is stored or out; its record is kept.

        Args:
            aliquot_id: The aliquot, such as AQ-2004.
            reason: Why; withdrawal only if the donor has withdrawn.
        """
        aliquot = self.aliquots.get(aliquot_id)
        if aliquot is None:
            return {"success": False, "error": f"There is no aliquot {aliquot_id}"}
        if aliquot["status"] == "reserved":
            return {
                "success": False,
                "error": f"Aliquot {aliquot_id} is reserved for a shipment; unpack it first",
            }
        if aliquot["status"] not in ("stored", "out"):
            return {"success": False, "error": f"Aliquot {aliquot_id} is {aliquot['status']}"}
        if reason == "withdrawal" and not self._has_withdrawn(aliquot["donor"]):
            return {"success": False, "error": f"Donor {aliquot['donor']} has not withdrawn"}
        aliquot["status"] = "destroyed"
        aliquot["destroyed_for"] = reason
        aliquot["volume_ul"] = 0
        aliquot["box"] = None
        aliquot["position"] = None
        aliquot["taken_by"] = None
        return {"success": True, "aliquot_id": aliquot_id, "destroyed_for": reason}

    def prepare_shipment(
        self, project_id: str, recipient: str, purpose: Purpose, aliquot_ids: list[str]
    ) -> dict:
        """Prepare a shipment of stored aliquots of one project, and reserve them for it.

        Args:
            project_id: The project that the aliquots are from, such as P-3.
            recipient: The partner's name.
            purpose: What the partner will do with them.
            aliquot_ids: The aliquots, at least one, each once.
        """
        if project_id not in self.projects:
            return {"success": False, "error": f"There is no project {project_id}"}
        if not recipient.strip():
            return {"success": False, "error": "Name the recipient"}
        if not aliquot_ids or len(set(aliquot_ids)) < len(aliquot_ids):
            return {"success": False, "error": "List at least one aliquot, and each only once"}
        for aliquot_id in aliquot_ids:
            aliquot = self.aliquots.get(aliquot_id)
            if aliquot is None:
                return {"success": False, "error": f"There is no aliquot {aliquot_id}"}
            donor = self.donors[aliquot["donor"]]
            if donor["project"] != project_id:
                return {
                    "success": False,
                    "error": f"Aliquot {aliquot_id} is from project {donor['project']}, not {project_id}",
                }
            if self._has_withdrawn(aliquot["donor"]):
                return {
                    "success": False,
                    "error": f"Donor {aliquot['donor']} of {aliquot_id} has withdrawn",
                }
            if purpose not in donor["agreed_purposes"]:
                return {
                    "success": False,
                    "error": f"Donor {aliquot['donor']} of {aliquot_id} has not agreed to {purpose}",
                }
            if aliquot["status"] != "stored":
                return {
                    "success": False,
                    "error": f"Aliquot {aliquot_id} is {aliquot['status']}, not stored",
                }
        shipment_id = f"SH-{self.next_shipment}"
        self.shipments[shipment_id] = {
            "project": project_id,
            "recipient": recipient.strip(),
            "purpose": purpose,
            "aliquots": list(aliquot_ids),
            "status": "prepared",
            "sent_on": None,
        }
        self.next_shipment += 1
        for aliquot_id in aliquot_ids:
            self.aliquots[aliquot_id]["status"] = "reserved"
        return {"success": True, "shipment_id": shipment_id}

    def unpack_aliquot(self, aliquot_id: str) -> dict:
        """Take a reserved aliquot off its shipment; a shipment left empty is cancelled.

        Args:
            aliquot_id: The aliquot, such as AQ-2004.
        """
        for shipment_id, shipment in sorted(self.shipments.items()):
            if shipment["status"] == "prepared" and aliquot_id in shipment["aliquots"]:
                shipment["aliquots"].remove(aliquot_id)
                if not shipment["aliquots"]:
                    shipment["status"] = "cancelled"
                self.aliquots[aliquot_id]["status"] = "stored"
                return {
                    "success": True,
                    "shipment_id": shipment_id,
                    "shipment_status": shipment["status"],
                    "left_in_shipment": list(shipment["aliquots"]),
                }
        return {"success": False, "error": f"No prepared shipment holds an aliquot {aliquot_id}"}

    def send_shipment(self, shipment_id: str) -> dict:
        """Send a prepared shipment today, with all aliquots that are in it.

        Args:
            shipment_id: The shipment, such as SH-12.
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return {"success": False, "error": f"There is no shipment {shipment_id}"}
        if shipment["status"] != "prepared":
            return {
                "success": False,
                "error": f"Shipment {shipment_id} is {shipment['status']}, not prepared",
            }
        aliquots = [self.aliquots[aliquot_id] for aliquot_id in shipment["aliquots"]]
        withdrawn = [a["donor"] for a in aliquots if self._has_withdrawn(a["donor"])]
        if withdrawn:
            return {
                "success": False,
                "error": f"Shipment {shipment_id} holds material of {withdrawn[0]}, who has withdrawn",
            }
        for aliquot in aliquots:
            aliquot["status"] = "shipped"
            aliquot["box"] = None
            aliquot["position"] = None
        shipment["status"] = "sent"
        shipment["sent_on"] = datetime.now().date().isoformat()
        return {"success": True, "shipment_id": shipment_id, "sent_on": shipment["sent_on"]}

    def register_withdrawal(self, donor_id: str, received_on: str) -> dict:
        """Record that a donor has asked to withdraw, and list what the repository still holds.

        Args:
            donor_id: The donor, such as D-104.
            received_on: The day on which the request arrived, YYYY-MM-DD, today or before.
        """
        donor = self.donors.get(donor_id)
        if donor is None:
            return {"success": False, "error": f"There is no donor {donor_id}"}
        if self._has_withdrawn(donor_id):
            return {
                "success": False,
                "error": f"Donor {donor_id} has withdrawn already, on {donor['withdrawal_received']}",
            }
        try:
            received = datetime.strptime(received_on, "%Y-%m-%d")
        except ValueError:
            return {"success": False, "error": f"'{received_on}' is no date like 2026-03-09"}
        if received > datetime.now():
            return {"success": False, "error": f"{received_on} is still to come"}
        donor["withdrawal"] = "requested"
        donor["withdrawal_received"] = received.date().isoformat()
        return {"success": True, "donor_id": donor_id, "still_held": self._held(donor_id)}

    def complete_withdrawal(self, donor_id: str) -> dict:
        """Complete a withdrawal, once nothing of the donor is left in the repository.

        Args:
            donor_id: The donor, such as D-104.
        """
        donor = self.donors.get(donor_id)
        if donor is None:
            return {"success": False, "error": f"There is no donor {donor_id}"}
        if donor["withdrawal"] != "requested":
            return {
                "success": False,
                "error": f"Donor {donor_id} has no withdrawal to be completed",
            }
        if left := self._held(donor_id):
            return {
                "success": False,
                "error": f"The repository still holds {', '.join(left)} of donor {donor_id}",
            }
        donor["withdrawal"] = "completed"
        return {"success": True, "donor_id": donor_id}
