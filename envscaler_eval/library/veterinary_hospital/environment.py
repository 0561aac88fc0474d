"""Veterinary hospital: inpatients, doses by weight, controlled drugs, theatre, bills."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_DOWN, Decimal
from typing import Any, Literal, TypedDict

Species = Literal["dog", "cat", "rabbit"]
Infection = Literal["none", "parvovirus", "kennel_cough", "cat_flu", "myxomatosis"]
DrugClass = Literal["opioid", "nsaid", "steroid", "antibiotic", "antiemetic", "sedative"]
Condition = Literal["renal_disease", "pregnant", "seizures", "bleeding"]
StrengthUnit = Literal["mg/ml", "mcg/ml", "%", "mg/tablet"]
Role = Literal["vet", "nurse", "student"]
Payment = Literal["card", "account", "insurer"]
RegisterEntry = Literal["received", "destroyed", "count", "correction"]
RefusalReason = Literal[
    "outside_dose_range",
    "contraindicated",
    "weight_out_of_date",
    "dose_not_due",
    "register_locked",
    "over_consent",
    "not_fasted",
    "infection_control",
    "not_fit_for_discharge",
    "payment_not_accepted",
]

WEIGHT_KEEPS_DAYS = 7
WEIGHT_KEEPS_DAYS_GROWING = 2
GROWN_UP_DAYS = 182
WRITTEN_CONSENT_OVER_CENTS = 100_000
RECOVERY = timedelta(hours=3)
AFTER_OPIOID = timedelta(hours=4)
OPENING_HOURS = ("08:00", "18:00")

CATCHES: dict[Infection, tuple[Species, ...]] = {
    "none": ("dog", "cat", "rabbit"),
    "parvovirus": ("dog",),
    "kennel_cough": ("dog",),
    "cat_flu": ("cat",),
    "myxomatosis": ("rabbit",),
}
NOT_TOGETHER: dict[DrugClass, tuple[DrugClass, ...]] = {
    "nsaid": ("nsaid", "steroid"),
    "steroid": ("nsaid", "steroid"),
    "opioid": ("opioid",),
}


class Owner(TypedDict):
    """Who pays; a client with a credit limit may have a bill put on account."""

    name: str
    credit_limit_cents: int
    balance_cents: int  # owed already


class Animal(TypedDict):
    """A patient."""

    name: str
    species: Species
    breed: str
    born_on: str
    owner_id: str
    weight_g: int
    weighed_on: str
    conditions: list[Condition]
    allergies: list[DrugClass]
    insurance_left_cents: int  # 0 when not insured


class Staff(TypedDict):
    """A member of staff; only vets and nurses handle drugs."""

    name: str
    role: Role
    on_duty: bool
    skills: list[str]


class Kennel(TypedDict):
    """A place for one animal."""

    ward: str
    species: list[Species]
    isolation: bool
    max_kg: int
    night_cents: int
    state: Literal["ready", "closed"]


class Admission(TypedDict):
    """A stay."""

    animal_id: str
    kennel_id: str | None  # None after discharge
    infection: Infection
    admitted_on: str
    last_fed_at: str
    consent_cents: int  # limit of the estimate to which the owner agreed
    status: Literal["in", "discharged"]


class Drug(TypedDict):
    """One presentation of a drug; amounts are in ml, or in tablets."""

    name: str
    drug_class: DrugClass
    strength: float
    unit: StrengthUnit
    scored: bool  # tablets that may be halved
    controlled: bool
    doses: dict[str, dict[str, float]]  # "low" and "high" mg per kg, by species
    least_hours: int
    avoid_with: list[Condition]
    stock: float
    cents_per_unit: int


class Prescription(TypedDict):
    """Repeated doses for an inpatient."""

    admission_id: str
    drug_id: str
    amount: float
    every_hours: int
    vet_id: str
    prescribed_at: str
    status: Literal["active", "stopped"]


class Dose(TypedDict):
    """A dose that was given."""

    prescription_id: str
    given_at: str
    amount: float
    given_by: str


class RegisterLine(TypedDict):
    """A line of the controlled drugs register; lines are never altered."""

    drug_id: str
    kind: Literal["given", "received", "destroyed", "count", "correction"]
    change: float
    balance: float
    found: float | None  # what a count found
    on: str
    by: str
    witness: str


class Procedure(TypedDict):
    """An entry of the price list."""

    name: str
    room: str
    skill: str
    minutes: int
    fasting_hours: dict[str, int]  # by species; a species that is missing is not done here
    price_cents: int


class Booking(TypedDict):
    """A procedure planned for an inpatient."""

    admission_id: str
    procedure_id: str
    starts_at: str
    vet_id: str
    status: Literal["booked", "cancelled"]


class Invoice(TypedDict):
    """The bill of a stay."""

    admission_id: str
    total_cents: int
    payment: Payment


class Consent(TypedDict):
    """A limit to which an owner agreed during a stay."""

    admission_id: str
    limit_cents: int
    written: bool
    recorded_on: str


class Refusal(TypedDict):
    """A wish that was not met."""

    admission_id: str
    reason: RefusalReason
    refused_on: str


def _refused(why: str) -> dict[str, Any]:
    return {"success": False, "error": why}


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M") if len(text) == 16 else None
    except ValueError:
        return None


def _of(records: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Those records whose fields have these values."""
    return {
        i: record
        for i, record in records.items()
        if all(record[name] == value for name, value in fields.items())
    }


class VeterinaryHospital:
    """The practice system of a small-animal hospital with inpatients."""

    def __init__(self, init_config: dict[str, Any]) -> None:
        self.owners: dict[str, Owner] = {}
        self.animals: dict[str, Animal] = {}
        self.staff: dict[str, Staff] = {}
        self.kennels: dict[str, Kennel] = {}
        self.admissions: dict[str, Admission] = {}
        self.drugs: dict[str, Drug] = {}
        self.prescriptions: dict[str, Prescription] = {}
        self.doses: dict[str, Dose] = {}
        self.register: dict[str, RegisterLine] = {}
        self.locked_drugs: list[str] = []
        self.procedures: dict[str, Procedure] = {}
        self.bookings: dict[str, Booking] = {}
        self.invoices: dict[str, Invoice] = {}
        self.consents: dict[str, Consent] = {}
        self.refusals: dict[str, Refusal] = {}
        self.last_used: dict[str, int] = {}  # by prefix of the id

    def _new_id(self, prefix: str) -> str:
        self.last_used[prefix] = self.last_used.get(prefix, 0) + 1
        return f"{prefix}-{self.last_used[prefix]}"

    # Weights and doses

    def _mg_per_unit(self, drug: Drug) -> Decimal:
        """Milligrams in a ml, or in a tablet; 1 % is 10 mg in a ml."""
        factor = {"mg/ml": "1", "mcg/ml": "0.001", "%": "10", "mg/tablet": "1"}
        return Decimal(str(drug["strength"])) * Decimal(factor[drug["unit"]])

    def _step(self, drug: Drug) -> Decimal:
        """The smallest amount that can be measured out."""
        if drug["unit"] == "mg/tablet":
            return Decimal("0.5") if drug["scored"] else Decimal(1)
        return Decimal("0.05")

    def _measured(self, drug: Drug, animal: Animal, mg_per_kg: float) -> Decimal:
        """The measurable amount nearest to a dose; half-way it is the smaller one."""
        mg = Decimal(str(mg_per_kg)) * animal["weight_g"] / 1000
        step = self._step(drug)
        steps = (mg / self._mg_per_unit(drug) / step).to_integral_value(ROUND_HALF_DOWN)
        return steps * step

    def _weight_is_current(self, animal: Animal) -> bool:
        today = datetime.now().date()
        growing = (today - date.fromisoformat(animal["born_on"])).days < GROWN_UP_DAYS
        keeps = WEIGHT_KEEPS_DAYS_GROWING if growing else WEIGHT_KEEPS_DAYS
        return (today - date.fromisoformat(animal["weighed_on"])).days <= keeps

    def _due_at(self, prescription_id: str) -> datetime:
        """When the next dose may be given."""
        prescription = self.prescriptions[prescription_id]
        given = [d["given_at"] for d in _of(self.doses, prescription_id=prescription_id).values()]
        if not given:
            return datetime.fromisoformat(prescription["prescribed_at"])
        return datetime.fromisoformat(max(given)) + timedelta(hours=prescription["every_hours"])

    def _active(self, admission_id: str) -> dict[str, Prescription]:
        return _of(self.prescriptions, admission_id=admission_id, status="active")

    # People, places, money

    def _patient(self, admission_id: str) -> Animal:
        return self.animals[self.admissions[admission_id]["animal_id"]]

    def _against_staff(self, staff_id: str, roles: tuple[Role, ...]) -> Iterator[str]:
        if staff_id not in self.staff:
            yield f"There is no member of staff {staff_id}"
        elif self.staff[staff_id]["role"] not in roles:
            yield f"{self.staff[staff_id]['name']} is a {self.staff[staff_id]['role']}"
        elif not self.staff[staff_id]["on_duty"]:
            yield f"{self.staff[staff_id]['name']} is not on duty"

    def _against_pair(self, by: str, witness: str | None, vet: bool = False) -> Iterator[str]:
        """Objections to two people signing a line of the register together."""
        if witness is None:
            yield "A controlled drug needs a witness"
            return
        yield from self._against_staff(by, ("vet", "nurse"))
        yield from self._against_staff(witness, ("vet", "nurse"))
        if by == witness:
            yield "Nobody witnesses for themselves"
        if vet and "vet" not in (self.staff[by]["role"], self.staff[witness]["role"]):
            yield "One of the two has to be a vet"

    def _against_stay(self, admission_id: str) -> Iterator[str]:
        if admission_id not in self.admissions:
            yield f"There is no admission {admission_id}"
        elif self.admissions[admission_id]["status"] != "in":
            yield f"Admission {admission_id} has ended"

    def _occupant(self, kennel_id: str) -> str | None:
        return next(iter(_of(self.admissions, kennel_id=kennel_id)), None)

    def _against_kennel(
        self, kennel_id: str, animal: Animal, infection: Infection, staying: str | None
    ) -> Iterator[str]:
        """Objections to putting an animal with an infection, or none, into a kennel."""
        if kennel_id not in self.kennels:
            yield f"There is no kennel {kennel_id}"
            return
        kennel = self.kennels[kennel_id]
        if kennel["state"] == "closed":
            yield f"{kennel_id} is closed"
        if self._occupant(kennel_id) not in (None, staying):
            yield f"{kennel_id} is occupied"
        if animal["species"] not in kennel["species"]:
            yield f"{kennel['ward']} does not take a {animal['species']}"
        if animal["weight_g"] > kennel["max_kg"] * 1000:
            yield f"{kennel_id} is for animals up to {kennel['max_kg']} kg"
        if animal["species"] not in CATCHES[infection]:
            yield f"A {animal['species']} does not have {infection}"
        if (infection != "none") != kennel["isolation"]:
            yield "Infectious animals, and only those, go into isolation"
        if kennel["isolation"]:
            others = {
                a["infection"]
                for i, a in self.admissions.items()
                if a["kennel_id"] is not None
                and self.kennels[a["kennel_id"]]["ward"] == kennel["ward"]
                and i != staying
            }
            if others - {infection}:
                yield f"{kennel['ward']} holds {', '.join(sorted(others))}"

    def _charges(self, admission_id: str) -> dict[str, int]:
        """What a stay has cost or will cost so far: nights, doses and booked procedures."""
        admission = self.admissions[admission_id]
        nights = (datetime.now().date() - date.fromisoformat(admission["admitted_on"])).days
        kennel = self.kennels.get(admission["kennel_id"] or "")
        rate = kennel["night_cents"] if kennel else 0
        drugs = 0
        for dose in self.doses.values():
            prescription = self.prescriptions[dose["prescription_id"]]
            if prescription["admission_id"] == admission_id:
                price = self.drugs[prescription["drug_id"]]["cents_per_unit"]
                drugs += round(Decimal(str(dose["amount"])) * price)
        planned = sum(
            self.procedures[b["procedure_id"]]["price_cents"]
            for b in _of(self.bookings, admission_id=admission_id, status="booked").values()
        )
        charges = {"nights": max(nights, 1) * rate, "drugs": drugs, "procedures": planned}
        return {**charges, "total": sum(charges.values())}

    def _span(self, booking: Booking) -> tuple[datetime, datetime]:
        starts = datetime.fromisoformat(booking["starts_at"])
        minutes = self.procedures[booking["procedure_id"]]["minutes"]
        return starts, starts + timedelta(minutes=minutes)

    def _write_line(
        self, drug_id: str, kind: Any, change: float, by: str, witness: str, found: float | None
    ) -> float:
        """Add a line to the register and move the stock with it; return the balance."""
        drug = self.drugs[drug_id]
        drug["stock"] = round(drug["stock"] + change, 2)
        line_id = self._new_id("CDR")
        self.register[line_id] = {
            "drug_id": drug_id,
            "kind": kind,
            "change": round(change, 2),
            "balance": drug["stock"],
            "found": found,
            "on": datetime.now().date().isoformat(),
            "by": by,
            "witness": witness,
        }
        return drug["stock"]

    # Reading

    def search_animals(self, text: str = "") -> dict[str, Any]:
        """Find animals by part of their own or their owner's name.

        Args:
            text: Part of either name, any case; empty for all.
        """
        found = []
        for animal_id, animal in self.animals.items():
            owner = self.owners[animal["owner_id"]]["name"]
            if text.lower() in f"{animal['name']} {owner}".lower():
                row = {"animal_id": animal_id, "name": animal["name"], "breed": animal["breed"]}
                found.append({**row, "species": animal["species"], "owner": owner})
        return {"success": True, "animals": found}

    def get_animal(self, animal_id: str) -> dict[str, Any]:
        """Show an animal with its weight in grams, conditions, allergies, owner and stays.

        Args:
            animal_id: The animal.
        """
        if animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id}")
        animal = self.animals[animal_id]
        return {
            "success": True,
            "animal": animal,
            "weight_is_current": self._weight_is_current(animal),
            "owner": self.owners[animal["owner_id"]],
            "admissions": list(_of(self.admissions, animal_id=animal_id)),
        }

    def list_admissions(
        self, status: Literal["in", "discharged"] | None = None, ward: str = ""
    ) -> dict[str, Any]:
        """List stays with animal, kennel and infection.

        Args:
            status: Only stays in this status.
            ward: Part of the ward's name, any case; empty for all.
        """
        found = []
        for admission_id, admission in self.admissions.items():
            kennel_id = admission["kennel_id"]
            place = self.kennels[kennel_id]["ward"] if kennel_id else ""
            if status in (None, admission["status"]) and ward.lower() in place.lower():
                animal = self.animals[admission["animal_id"]]
                names = {"animal": animal["name"], "species": animal["species"], "ward": place}
                found.append({"admission_id": admission_id, **names, **admission})
        return {"success": True, "admissions": found}

    def get_admission(self, admission_id: str) -> dict[str, Any]:
        """Show a stay with prescriptions, doses, bookings, charges, consents, refusals.

        Args:
            admission_id: The stay.
        """
        if admission_id not in self.admissions:
            return _refused(f"There is no admission {admission_id}")
        prescriptions = _of(self.prescriptions, admission_id=admission_id)
        refusals = _of(self.refusals, admission_id=admission_id).values()
        return {
            "success": True,
            "admission": self.admissions[admission_id],
            "animal": self._patient(admission_id)["name"],
            "prescriptions": prescriptions,
            "doses": [d for d in self.doses.values() if d["prescription_id"] in prescriptions],
            "bookings": _of(self.bookings, admission_id=admission_id),
            "charges_cents": self._charges(admission_id),
            "consents": list(_of(self.consents, admission_id=admission_id).values()),
            "invoices": _of(self.invoices, admission_id=admission_id),
            "refusals": [r["reason"] for r in refusals],
        }

    def list_kennels(self, species: Species | None = None, free: bool = False) -> dict[str, Any]:
        """List kennels with ward, size limit, price of a night and who is in them.

        Args:
            species: Only kennels that take this species.
            free: Only kennels that are ready and empty.
        """
        found = []
        for kennel_id, kennel in self.kennels.items():
            inside = self._occupant(kennel_id)
            usable = inside is None and kennel["state"] == "ready"
            if (species is None or species in kennel["species"]) and (usable or not free):
                infection = self.admissions[inside]["infection"] if inside else None
                row = {"kennel_id": kennel_id, **kennel, "admission_id": inside}
                found.append({**row, "infection": infection})
        return {"success": True, "kennels": found}

    def search_drugs(self, text: str = "", controlled: bool | None = None) -> dict[str, Any]:
        """Find drugs by part of their name: strength, doses in mg per kg, interval, stock, price.

        Args:
            text: Part of the name, any case; empty for all.
            controlled: Only controlled drugs, or only others.
        """
        found = [
            {
                "drug_id": i,
                **d,
                "amounts_in": "tablets" if d["unit"] == "mg/tablet" else "ml",
                "smallest_step": float(self._step(d)),
                "locked": i in self.locked_drugs,
            }
            for i, d in self.drugs.items()
            if text.lower() in d["name"].lower() and controlled in (None, d["controlled"])
        ]
        return {"success": True, "drugs": found}

    def read_register(self, drug_id: str) -> dict[str, Any]:
        """Read the controlled drugs register of a drug, oldest line first, with its balance.

        Args:
            drug_id: A controlled drug.
        """
        if drug_id not in self.drugs or not self.drugs[drug_id]["controlled"]:
            return _refused(f"There is no controlled drug {drug_id}")
        return {
            "success": True,
            "lines": _of(self.register, drug_id=drug_id),
            "balance": self.drugs[drug_id]["stock"],
            "locked": drug_id in self.locked_drugs,
        }

    def list_procedures(self, species: Species | None = None) -> dict[str, Any]:
        """List procedures with room, skill, minutes, hours of fasting and price.

        Args:
            species: Only procedures done on this species.
        """
        found = [
            {"procedure_id": i, **p}
            for i, p in self.procedures.items()
            if species is None or species in p["fasting_hours"]
        ]
        return {"success": True, "procedures": found}

    def list_bookings(self, day: str | None = None, room: str = "") -> dict[str, Any]:
        """List booked procedures by time, with room, end and animal.

        Args:
            day: Only this day, YYYY-MM-DD.
            room: Part of the room's name, any case; empty for all.
        """
        found = []
        for booking_id, booking in _of(self.bookings, status="booked").items():
            procedure = self.procedures[booking["procedure_id"]]
            that_day = day is None or booking["starts_at"][:10] == day
            if that_day and room.lower() in procedure["room"].lower():
                name = self._patient(booking["admission_id"])["name"]
                ends = f"{self._span(booking)[1]:%Y-%m-%dT%H:%M}"
                row = {"booking_id": booking_id, "room": procedure["room"], "animal": name}
                found.append({**row, **booking, "ends_at": ends})
        return {"success": True, "bookings": sorted(found, key=lambda b: b["starts_at"])}

    def list_staff(self, role: Role | None = None, on_duty: bool | None = None) -> dict[str, Any]:
        """List staff with role and skills.

        Args:
            role: Only this role.
            on_duty: Only those on duty, or only those off duty.
        """
        found = [
            {"staff_id": i, **s}
            for i, s in self.staff.items()
            if role in (None, s["role"]) and on_duty in (None, s["on_duty"])
        ]
        return {"success": True, "staff": found}

    def list_due_doses(self, by: str) -> dict[str, Any]:
        """List active prescriptions of which a dose falls due up to a time, soonest first.

        Args:
            by: The time, YYYY-MM-DDTHH:MM.
        """
        until = _time(by)
        if until is None:
            return _refused(f"{by!r} is not a time in the form YYYY-MM-DDTHH:MM")
        found = []
        for prescription_id, prescription in _of(self.prescriptions, status="active").items():
            due = self._due_at(prescription_id)
            if due <= until:
                drug = self.drugs[prescription["drug_id"]]
                animal = self._patient(prescription["admission_id"])["name"]
                row = {"due_at": f"{due:%Y-%m-%dT%H:%M}", "animal": animal, "drug": drug["name"]}
                more = {"amount": prescription["amount"], "controlled": drug["controlled"]}
                found.append({"prescription_id": prescription_id, **row, **more})
        return {"success": True, "due": sorted(found, key=lambda d: d["due_at"])}

    # Writing

    def weigh_animal(self, animal_id: str, grams: int) -> dict[str, Any]:
        """Record today's body weight; running prescriptions are not recalculated by it.

        Args:
            animal_id: The animal.
            grams: Body weight in grams.
        """
        if animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id}")
        animal, today = self.animals[animal_id], datetime.now().date().isoformat()
        if not 20 <= grams <= 120_000:
            return _refused(f"{grams} g is no weight of a {animal['species']}")
        if (animal["weight_g"], animal["weighed_on"]) == (grams, today):
            return _refused("That weight of today is already recorded")
        animal["weight_g"], animal["weighed_on"] = grams, today
        return {"success": True, "weight_g": grams, "weighed_on": today}

    def admit_animal(
        self,
        animal_id: str,
        kennel_id: str,
        infection: Infection,
        last_fed_at: str,
        consent_cents: int,
    ) -> dict[str, Any]:
        """Take an animal in, into a free kennel that suits it.

        Args:
            animal_id: An animal that is not in already.
            kennel_id: The kennel.
            infection: The infection that it has or is suspected of.
            last_fed_at: When it last ate, YYYY-MM-DDTHH:MM.
            consent_cents: Limit of the estimate to which the owner agreed, in pence; up to
                £1,000, above which record_consent follows with written consent.
        """
        if animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id}")
        if _of(self.admissions, animal_id=animal_id, status="in"):
            return _refused(f"{animal_id} is in already")
        animal = self.animals[animal_id]
        if why := next(self._against_kennel(kennel_id, animal, infection, None), None):
            return _refused(why)
        if not 0 <= consent_cents <= WRITTEN_CONSENT_OVER_CENTS:
            return _refused("The estimate is from 0 to 100000 pence; above that in writing")
        now, fed = datetime.now(), _time(last_fed_at)
        if fed is None or fed > now:
            return _refused(f"{last_fed_at!r} is not a past time in the form YYYY-MM-DDTHH:MM")
        admission_id = self._new_id("ADM")
        self.admissions[admission_id] = {
            "animal_id": animal_id,
            "kennel_id": kennel_id,
            "infection": infection,
            "admitted_on": now.date().isoformat(),
            "last_fed_at": last_fed_at,
            "consent_cents": consent_cents,
            "status": "in",
        }
        return {"success": True, "admission_id": admission_id}

    def move_animal(
        self, admission_id: str, kennel_id: str, infection: Infection | None = None
    ) -> dict[str, Any]:
        """Move an inpatient, if need be with a new finding about its infection.

        The kennel that an infectious animal leaves is closed for disinfection.

        Args:
            admission_id: The stay.
            kennel_id: Where it goes.
            infection: What it now has or is suspected of; left out if that is unchanged.
        """
        if why := next(self._against_stay(admission_id), None):
            return _refused(why)
        admission = self.admissions[admission_id]
        finding = infection if infection is not None else admission["infection"]
        if kennel_id == admission["kennel_id"]:
            return _refused(f"{admission_id} is in {kennel_id} already")
        animal = self._patient(admission_id)
        if why := next(self._against_kennel(kennel_id, animal, finding, admission_id), None):
            return _refused(why)
        self._leave(admission, infected=(admission["infection"], finding) != ("none", "none"))
        admission["infection"] = finding
        admission["kennel_id"] = kennel_id
        return {"success": True, "kennel_id": kennel_id, "infection": finding}

    def _leave(self, admission: Admission, infected: bool) -> None:
        """Empty the kennel of a stay; it is closed if the animal was infectious."""
        if admission["kennel_id"] is not None and infected:
            self.kennels[admission["kennel_id"]]["state"] = "closed"
        admission["kennel_id"] = None

    def _against_prescription(
        self, admission_id: str, drug_id: str, mg_per_kg: float, amount: float, every_hours: int
    ) -> Iterator[str]:
        yield from self._against_stay(admission_id)
        if drug_id not in self.drugs:
            yield f"There is no drug {drug_id}"
            return
        drug, animal = self.drugs[drug_id], self._patient(admission_id)
        if not self._weight_is_current(animal):
            yield f"{animal['name']} was last weighed on {animal['weighed_on']}: weigh first"
        dose = drug["doses"].get(animal["species"])
        if dose is None:
            yield f"{drug['name']} is not for a {animal['species']}"
            return
        barred = [c for c in animal["conditions"] if c in drug["avoid_with"]]
        if barred or drug["drug_class"] in animal["allergies"]:
            yield f"{drug['name']} is contraindicated: {barred or 'allergy'}"
        clashes = NOT_TOGETHER.get(drug["drug_class"], ())
        for prescription in self._active(admission_id).values():
            other = self.drugs[prescription["drug_id"]]
            if prescription["drug_id"] == drug_id or other["drug_class"] in clashes:
                yield f"Not together with {other['name']}, which is running"
        if not dose["low"] <= mg_per_kg <= dose["high"]:
            yield f"{mg_per_kg:g} mg/kg is outside {dose['low']:g} to {dose['high']:g} mg/kg"
        if Decimal(str(amount)) != self._measured(drug, animal, mg_per_kg):
            yield f"{amount:g} is not that dose for {animal['weight_g']} g, rounded to the step"
        real = Decimal(str(amount)) * self._mg_per_unit(drug) * 1000 / animal["weight_g"]
        if not Decimal(str(dose["low"])) <= real <= Decimal(str(dose["high"])):
            yield f"Measured out it is {real:.3f} mg/kg, outside the range: take another strength"
        if not drug["least_hours"] <= every_hours <= 72:
            yield f"{drug['name']} is given every {drug['least_hours']} to 72 hours"

    def prescribe(
        self,
        admission_id: str,
        drug_id: str,
        mg_per_kg: float,
        amount: float,
        every_hours: int,
        vet_id: str,
    ) -> dict[str, Any]:
        """Prescribe repeated doses for an inpatient; the first is due at once.

        Args:
            admission_id: The stay.
            drug_id: The drug, in the presentation to be used.
            mg_per_kg: The dose aimed at, mg per kg of body weight.
            amount: That dose in ml or tablets, rounded to the nearest step of the drug
                (half-way to the smaller).
            every_hours: Hours from dose to dose, at most 72.
            vet_id: The vet who prescribes.
        """
        against = self._against_prescription(admission_id, drug_id, mg_per_kg, amount, every_hours)
        why = next(against, None) or next(self._against_staff(vet_id, ("vet",)), None)
        if why:
            return _refused(why)
        prescription_id = self._new_id("RX")
        self.prescriptions[prescription_id] = {
            "admission_id": admission_id,
            "drug_id": drug_id,
            "amount": float(amount),
            "every_hours": every_hours,
            "vet_id": vet_id,
            "prescribed_at": f"{datetime.now():%Y-%m-%dT%H:%M}",
            "status": "active",
        }
        return {"success": True, "prescription_id": prescription_id}

    def stop_prescription(self, prescription_id: str) -> dict[str, Any]:
        """End a running prescription.

        Args:
            prescription_id: The prescription.
        """
        if prescription_id not in self.prescriptions:
            return _refused(f"There is no prescription {prescription_id}")
        if self.prescriptions[prescription_id]["status"] == "stopped":
            return _refused(f"{prescription_id} has been stopped already")
        self.prescriptions[prescription_id]["status"] = "stopped"
        return {"success": True, "prescription_id": prescription_id, "status": "stopped"}

    def give_dose(
        self, prescription_id: str, given_by: str, witness: str | None = None
    ) -> dict[str, Any]:
        """Record that a dose that was due has been given; controlled drugs enter the register.

        Args:
            prescription_id: A running prescription.
            given_by: Vet or nurse on duty who gave it.
            witness: For a controlled drug, another vet or nurse on duty; left out otherwise.
        """
        if prescription_id not in self.prescriptions:
            return _refused(f"There is no prescription {prescription_id}")
        prescription = self.prescriptions[prescription_id]
        drug_id, amount = prescription["drug_id"], prescription["amount"]
        drug, now = self.drugs[drug_id], datetime.now()
        if prescription["status"] == "stopped":
            return _refused(f"{prescription_id} has been stopped")
        due = self._due_at(prescription_id)
        if now < due:
            return _refused(f"The next dose is due at {due:%Y-%m-%dT%H:%M}")
        if why := next(self._against_staff(given_by, ("vet", "nurse")), None):
            return _refused(why)
        if drug["stock"] < amount:
            return _refused(f"{drug['stock']:g} left of {drug['name']}")
        if drug["controlled"]:
            if drug_id in self.locked_drugs:
                return _refused(f"The register of {drug['name']} does not balance")
            if why := next(self._against_pair(given_by, witness), None):
                return _refused(why)
            self._write_line(drug_id, "given", -amount, given_by, str(witness), None)
        elif witness is not None:
            return _refused(f"{drug['name']} is not controlled and needs no witness")
        else:
            drug["stock"] = round(drug["stock"] - amount, 2)
        dose_id = self._new_id("DOSE")
        self.doses[dose_id] = {
            "prescription_id": prescription_id,
            "given_at": f"{now:%Y-%m-%dT%H:%M}",
            "amount": amount,
            "given_by": given_by,
        }
        return {"success": True, "dose_id": dose_id, "stock_left": drug["stock"]}

    def enter_register(
        self, drug_id: str, kind: RegisterEntry, amount: float, by: str, witness: str
    ) -> dict[str, Any]:
        """Enter a delivery, destruction, count or correction in the controlled drugs register.

        A count that differs from the balance locks the drug until a correction brings the
        balance to what that count found.

        Args:
            drug_id: A controlled drug.
            kind: What happened.
            amount: ml or tablets received, destroyed, or found by the count; for a
                correction the new balance.
            by: Vet or nurse on duty who enters it.
            witness: Another vet or nurse on duty; for a destruction or correction one of
                the two is a vet.
        """
        if drug_id not in self.drugs or not self.drugs[drug_id]["controlled"]:
            return _refused(f"There is no controlled drug {drug_id}")
        vet = kind in ("destroyed", "correction")
        if why := next(self._against_pair(by, witness, vet), None):
            return _refused(why)
        stock, locked = self.drugs[drug_id]["stock"], drug_id in self.locked_drugs
        amount = round(amount, 2)
        if amount < 0 or (amount == 0 and kind in ("received", "destroyed")):
            return _refused("The amount is above 0")
        if locked and kind != "correction":
            return _refused("The last count did not agree: correct the balance first")
        if kind == "destroyed" and amount > stock:
            return _refused(f"The balance is only {stock:g}")
        if kind == "correction":
            counts = [
                c["found"] for c in _of(self.register, drug_id=drug_id, kind="count").values()
            ]
            if not locked or counts[-1] != amount:
                return _refused("A correction brings the balance to what the last count found")
            self.locked_drugs.remove(drug_id)
        if kind == "count" and amount != stock:
            self.locked_drugs.append(drug_id)
        change = {"received": amount, "destroyed": -amount, "correction": amount - stock}
        found = amount if kind == "count" else None
        balance = self._write_line(drug_id, kind, change.get(kind, 0.0), by, witness, found)
        return {"success": True, "balance": balance, "locked": drug_id in self.locked_drugs}

    def record_consent(self, admission_id: str, limit_cents: int, written: bool) -> dict[str, Any]:
        """Record up to which amount the owner now agrees to the cost of a stay.

        Args:
            admission_id: The stay.
            limit_cents: The new limit in pence, not below what the stay already costs.
            written: Whether the owner signed, rather than said so; above £1,000 a signature
                is needed.
        """
        if why := next(self._against_stay(admission_id), None):
            return _refused(why)
        admission, committed = self.admissions[admission_id], self._charges(admission_id)["total"]
        if limit_cents == admission["consent_cents"]:
            return _refused("That is the limit already")
        if limit_cents < committed:
            return _refused(f"The stay already costs {committed} pence")
        if limit_cents > WRITTEN_CONSENT_OVER_CENTS and not written:
            return _refused("Above £1,000 the owner has to sign")
        admission["consent_cents"] = limit_cents
        self.consents[self._new_id("CON")] = {
            "admission_id": admission_id,
            "limit_cents": limit_cents,
            "written": written,
            "recorded_on": datetime.now().date().isoformat(),
        }
        return {"success": True, "limit_cents": limit_cents, "committed_cents": committed}

    def _against_booking(
        self, admission_id: str, procedure_id: str, starts_at: str, vet_id: str
    ) -> Iterator[str]:
        yield from self._against_stay(admission_id)
        if procedure_id not in self.procedures:
            yield f"There is no procedure {procedure_id}"
        yield from self._against_staff(vet_id, ("vet",))
        start = _time(starts_at)
        if start is None or start.minute % 15:
            yield f"{starts_at!r} is not a quarter of an hour in the form YYYY-MM-DDTHH:MM"
            return
        procedure, species = self.procedures[procedure_id], self._patient(admission_id)["species"]
        admission = self.admissions[admission_id]
        end = start + timedelta(minutes=procedure["minutes"])
        if species not in procedure["fasting_hours"]:
            yield f"{procedure['name']} is not done on a {species}"
            return
        if procedure["skill"] not in self.staff[vet_id]["skills"]:
            yield f"{self.staff[vet_id]['name']} does not do {procedure['skill']}"
        opens, closes = OPENING_HOURS
        if start < datetime.now() or not opens <= f"{start:%H:%M}" <= f"{end:%H:%M}" <= closes:
            yield f"Procedures are done from {opens} to {closes}, from now on"
        fasted = datetime.fromisoformat(admission["last_fed_at"]) + timedelta(
            hours=procedure["fasting_hours"][species]
        )
        if start < fasted:
            yield f"The animal is fasted from {fasted:%Y-%m-%dT%H:%M}"
        for booking in self.bookings.values():
            other = self.admissions[booking["admission_id"]]
            begun, ended = self._span(booking)
            same_room = self.procedures[booking["procedure_id"]]["room"] == procedure["room"]
            if booking["status"] == "cancelled" or begun.date() != start.date():
                continue
            involved = {
                procedure["room"]: same_room,
                self.staff[vet_id]["name"]: booking["vet_id"] == vet_id,
                "The animal": other is admission,
            }
            taken = next((who for who, same in involved.items() if same), None)
            if taken is not None and begun < end and start < ended:
                yield f"{taken} is taken from {begun:%H:%M} to {ended:%H:%M}"
            first, last = (other, admission) if begun < start else (admission, other)
            if same_room and first["infection"] != "none" and last["infection"] == "none":
                yield "Infectious animals come last in a room on a day"
        total = self._charges(admission_id)["total"] + procedure["price_cents"]
        if total > admission["consent_cents"]:
            limit = admission["consent_cents"]
            yield f"That makes {total} pence, over the owner's limit of {limit} pence"

    def book_procedure(
        self, admission_id: str, procedure_id: str, starts_at: str, vet_id: str
    ) -> dict[str, Any]:
        """Book a procedure for an inpatient.

        Args:
            admission_id: The stay.
            procedure_id: The procedure.
            starts_at: When it starts, on a quarter of an hour, YYYY-MM-DDTHH:MM.
            vet_id: A vet on duty with the skill.
        """
        against = self._against_booking(admission_id, procedure_id, starts_at, vet_id)
        if why := next(against, None):
            return _refused(why)
        booking_id = self._new_id("BK")
        self.bookings[booking_id] = {
            "admission_id": admission_id,
            "procedure_id": procedure_id,
            "starts_at": starts_at,
            "vet_id": vet_id,
            "status": "booked",
        }
        return {"success": True, "booking_id": booking_id, "charges": self._charges(admission_id)}

    def cancel_booking(self, booking_id: str) -> dict[str, Any]:
        """Cancel a procedure that has not begun.

        Args:
            booking_id: The booking.
        """
        if booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id}")
        booking = self.bookings[booking_id]
        if booking["status"] == "cancelled":
            return _refused(f"{booking_id} has been cancelled already")
        if self._span(booking)[0] <= datetime.now():
            return _refused(f"{booking_id} began at {booking['starts_at']}")
        booking["status"] = "cancelled"
        return {"success": True, "charges": self._charges(booking["admission_id"])}

    def discharge_animal(self, admission_id: str, payment: Payment) -> dict[str, Any]:
        """Send an animal home and bill the stay.

        Args:
            admission_id: A stay without running prescriptions or coming procedures.
            payment: By card, on the owner's account, or from the animal's insurance.
        """
        if why := next(self._against_stay(admission_id), None):
            return _refused(why)
        admission, animal = self.admissions[admission_id], self._patient(admission_id)
        now = datetime.now()
        owner = self.owners[animal["owner_id"]]
        if running := self._active(admission_id):
            return _refused(f"Still running: {', '.join(running)}")
        planned = [
            self._span(b)[1]
            for b in _of(self.bookings, admission_id=admission_id, status="booked").values()
        ]
        if planned and now < max(planned) + RECOVERY:
            return _refused("A procedure is coming, or was over less than 3 hours ago")
        for dose in self.doses.values():
            prescription = self.prescriptions[dose["prescription_id"]]
            opioid = self.drugs[prescription["drug_id"]]["drug_class"] == "opioid"
            ready = datetime.fromisoformat(dose["given_at"]) + AFTER_OPIOID
            if prescription["admission_id"] == admission_id and opioid and now < ready:
                return _refused(f"An opioid keeps it in until {ready:%Y-%m-%dT%H:%M}")
        total = self._charges(admission_id)["total"]
        credit = owner["credit_limit_cents"] - owner["balance_cents"]
        cover = {"account": credit, "insurer": animal["insurance_left_cents"], "card": total}
        if total > cover[payment]:
            return _refused(f"{total} pence, but only {cover[payment]} by {payment}")
        if payment == "account":
            owner["balance_cents"] += total
        if payment == "insurer":
            animal["insurance_left_cents"] -= total
        invoice_id = self._new_id("INV")
        self.invoices[invoice_id] = {
            "admission_id": admission_id,
            "total_cents": total,
            "payment": payment,
        }
        admission["status"] = "discharged"
        self._leave(admission, infected=admission["infection"] != "none")
        return {"success": True, "invoice_id": invoice_id, "total_cents": total}

    def decline_request(self, admission_id: str, reason: RefusalReason) -> dict[str, Any]:
        """Put on a stay that something asked for it was not done.

        Args:
            admission_id: The stay.
            reason: The rule that stood in the way.
        """
        if admission_id not in self.admissions:
            return _refused(f"There is no admission {admission_id}")
        if _of(self.refusals, admission_id=admission_id, reason=reason):
            return _refused("That is on record already")
        refusal_id = self._new_id("REF")
        self.refusals[refusal_id] = {
            "admission_id": admission_id,
            "reason": reason,
            "refused_on": datetime.now().date().isoformat(),
        }
        return {"success": True, "refusal_id": refusal_id}
